extension ForwardGeocoder {
  /// Returns the given matches. If they contain neither an exact match nor enough results, also returns records whose
  /// names differ from the query only in typos.
  func withSimilar(_ found: [Match], _ name: String, within areas: [GeocodeRecord], options: Options) -> [Match] {
    if let first = found.first, first.closeness < .prefix { return found }
    guard found.count < options.limit else { return found }
    var matches = found
    var name = name
    name.withUTF8 { written in
      FoldedName.withTwo { key, other in
        tables.folding.fold(UnsafeRawBufferPointer(written), into: &key)
        var left = options.limit - found.count
        for hit in tables.typos.namesLike(key) {
          // Each name is added completely, with all of its records, before the limit is checked.
          guard left > 0 else { return }
          tables.folding.fold(tables.typos.bytes(ofName: hit.name), into: &key)
          left -= append(bearersOf: &key, &other, edits: hit.edits, within: areas, options, to: &matches)
        }
      }
    }
    return ranked(&matches, options)
  }

  /// Appends the records with this folded name that are not in the list yet. Returns their number.
  private func append(
    bearersOf key: inout FoldedName, _ other: inout FoldedName, edits: Int, within areas: [GeocodeRecord],
    _ options: Options, to matches: inout [Match]
  ) -> Int {
    let before = matches.count
    var index = firstEntry(of: key, &other)
    while index < tables.search.count {
      let entry = tables.search.entry(index)
      tables.folding.fold(tables.searchable(entry), into: &other)
      guard other.count == key.count, other.hasPrefix(key) else { break }
      index += 1
      let record = tables.record(entry.record)
      if let country = options.country, Int(tables.country(of: record)) != country { continue }
      guard areas.allSatisfy({ isRecord(record, inside: $0) }), !matches.contains(where: { $0.record == record }) else {
        continue
      }
      matches.append(
        Match(
          record: record, closeness: .similar, edits: edits, importance: importance(of: record),
          distanceKilometers: distance(of: record, from: options.near)))
    }
    return matches.count - before
  }
}
