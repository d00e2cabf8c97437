/// Finds places by name in English or Chinese. Large cities are also found by other spellings.
///
/// The best matches have the name exactly as written, apart from case, diacritics and traditional characters. Next come
/// names that differ in a Chinese ending (市, 省, 县), then names that start with the query, then names that differ in
/// typos. Records of the same similarity are ordered by nearness if requested, then by importance, then by distance.
/// Countries are more important than places, and larger places than smaller ones. If several records have the name, all
/// are returned.
public struct ForwardGeocoder: Sendable {
  /// The degrees of similarity between a name and the query, the highest first.
  public enum Closeness: String, Sendable, Comparable, CaseIterable {
    /// The name equals the query, apart from case, diacritics, punctuation and traditional characters. For a country,
    /// also apart from an article or a form of state such as `Kingdom of`.
    case exact
    /// The name equals the query, apart from the ending of a Chinese division.
    case folded
    /// The name starts with the query.
    case prefix
    /// The name differs only in typos: one in names of up to five letters, at most two in longer names.
    case similar

    /// True if `a` is more similar to the query than `b`.
    public static func < (a: Self, b: Self) -> Bool {
      allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
  }

  /// The options of a search by name.
  public struct Options: Sendable {
    /// The preferred position, or nil. Among equally similar matches, places within 100 km of it come first.
    public var near: Coordinate?
    /// The number of the only country to search, or nil to search all countries.
    public var country: Int?
    /// The maximum number of results, 1 … 100.
    public var limit: Int

    /// Creates options. By default, a search returns up to ten results from anywhere.
    public init(near: Coordinate? = nil, country: Int? = nil, limit: Int = 10) {
      self.near = near
      self.country = country
      self.limit = max(1, min(100, limit))
    }
  }

  /// A record found by a search, with its similarity to the query.
  public struct Match: Sendable, Equatable {
    /// The record that was found.
    public var record: GeocodeRecord
    /// The similarity of the matching name to the query.
    public var closeness: Closeness
    /// The number of typos in the query. 0 unless the closeness is `similar`.
    public var edits = 0
    /// The population of a place. For other records, a number that makes them comparable with places.
    public var importance: Int
    /// True if the matching name is another spelling, an alias or a code. A place or region then ranks below those with
    /// the name itself.
    var isAlternate = false
    /// The importance, reduced if only an alternative spelling matches. That of a country is never reduced.
    var rank: Int { isAlternate && importance < 1_000_000_000 ? importance / 10 : importance }
    /// The distance from `near` in kilometers, or nil if `near` is nil or the record has no position.
    public var distanceKilometers: Double?
  }

  /// The reason why a search failed.
  public enum Failure: Error, Sendable, Equatable {
    /// The query contains neither a letter nor a digit, or is longer than ``longestQuery``.
    case unusableQuery
    /// No record has this name, or an enclosing area that the query names was not found.
    case noResult
    /// The areas in a query such as `Nowhere, France` were found, but nothing in them has the other name. Contains one
    /// of the areas, and that name.
    case partialResult(found: GeocodeRecord, missing: String)
  }

  /// The maximum length of a query in bytes.
  public static let longestQuery = 200
  /// The maximum number of names considered per lookup. A query of one letter is the prefix of more names.
  private static let candidateLimit = 2_000
  private static let nearKilometers = 100.0

  let tables: GeocodeTables

  /// Creates a geocoder that uses loaded tables.
  public init(_ tables: GeocodeTables) {
    self.tables = tables
  }

  /// Returns the records with a name, best first. The array is never empty.
  ///
  /// A query may contain enclosing areas: `Paris, Texas`, `Springfield, US`, `深圳市, 广东省`, `广东省深圳市南山区`.
  ///
  /// - Throws: `Failure` if nothing is found, or if the query contains no name or is longer than ``longestQuery``.
  public func search(_ query: String, options: Options = Options()) throws(Failure) -> [Match] {
    guard query.utf8.count <= Self.longestQuery else { throw .unusableQuery }
    let found = candidates(query, within: [], options: options)
    if let first = found.first, first.closeness < .prefix { return found }
    if let (first, other) = Self.withoutArticleBehind(query) {
      let moved = candidates(first, within: [], options: options)
      if let best = moved.first, best.closeness < .prefix { return moved }
      return try search(other, options: options)
    }
    guard tables.folding.isName(query) else { throw .unusableQuery }
    let parts = query.split { $0 == "," || $0 == "，" || $0 == "、" }.map(Self.trim).filter { !$0.isEmpty }
    if parts.count > 1 { return try search(parts, orTake: found, options: options) }
    let all = withSimilar(found, query, within: [], options: options)
    if !all.isEmpty { return all }
    if let whole = parts.first, let (areas, rest) = splitHan(whole) {
      let found = candidates(rest, within: areas, options: options)
      if !found.isEmpty { return found }
      throw .partialResult(found: areas.last!, missing: rest)
    }
    throw .noResult
  }

  /// Finds an article after the name, where ISO puts it: `Bahamas (the)`, `Korea (the Republic of)`, `Gambia, The`.
  /// Returns the query with the article in front and without it, or nil if there is none.
  private static func withoutArticleBehind(_ query: String) -> (String, String)? {
    let bytes = Array(query.utf8)
    guard let start = bytes.indices.first(where: { isArticle(at: $0, in: bytes) }) else { return nil }
    let rest = String(decoding: bytes[..<start] + bytes[(start + 3)...], as: UTF8.self)
    return ("the " + rest, rest)
  }

  private static func isArticle(at index: Int, in bytes: [UInt8]) -> Bool {
    guard index + 3 <= bytes.count, zip(bytes[index...], "the".utf8).allSatisfy({ $0 | 0x20 == $1 }),
      index + 3 == bytes.count || [UInt8(ascii: " "), UInt8(ascii: ")")].contains(bytes[index + 3])
    else { return false }
    let before = bytes[..<index].last { $0 != UInt8(ascii: " ") }
    return before == UInt8(ascii: "(") || before == UInt8(ascii: ",")
  }

  /// Searches for the first part of a query inside the areas that the other parts name. If no place in the areas has
  /// the name, returns `found`, the matches of the whole query: San José Carpinteros begins with `San Jose, CA`.
  private func search(
    _ parts: [String], orTake found: [Match], options: Options
  ) throws(Failure) -> [Match] {
    do throws(Failure) {
      let inside = try search(parts[0], inside: Array(parts.dropFirst()), options: options)
      let hasName = inside.first.map { $0.closeness < .prefix } ?? false
      return hasName || found.isEmpty ? inside : found
    } catch {
      guard found.isEmpty else { return found }
      throw error
    }
  }

  /// Searches for a name inside areas, which are given by name, the smallest first.
  private func search(_ name: String, inside parts: [String], options: Options) throws(Failure) -> [Match] {
    var areas: [[GeocodeRecord]] = []
    for part in parts {
      let named = areaRecords(part)
      if named.isEmpty { throw .noResult }
      areas.append(named)
    }
    var all: [Match] = []
    // Several records may have an area's name (Georgia). All of them are tried.
    for combination in areas.reduce(
      into: [[GeocodeRecord]()],
      { all, next in
        all = all.flatMap { head in next.map { head + [$0] } }
      }
    ).prefix(64) {
      let found = candidates(name, within: combination, options: options)
      for match in withSimilar(found, name, within: combination, options: options)
      where !all.contains(where: { $0.record == match.record }) {
        all.append(match)
      }
    }
    if all.isEmpty { throw .partialResult(found: areas[0][0], missing: name) }
    return Array(all.sorted(by: Self.isBetter).prefix(options.limit))
  }

  /// Returns the countries, regions and divisions with this name, apart from the ending of a Chinese division, and the
  /// states and provinces with this code.
  private func areaRecords(_ name: String) -> [GeocodeRecord] {
    var found: [GeocodeRecord] = []
    scan(name) { record, closeness, _ in
      guard closeness < .prefix else { return false }
      if case .place = record { return true }
      if !found.contains(record) { found.append(record) }
      return true
    }
    // Abbreviations such as `DC` or `D.C.`
    let letters = name.filter { $0 != "." && $0 != " " }.uppercased()
    guard (2...3).contains(letters.utf8.count) else { return found }
    let codes = ["US." + letters] + RegionCodes.codes(of: letters)
    found += (0..<tables.regions.count).lazy.filter { codes.contains(tables.regionCode($0)) }.map { .region($0) }
    return found
  }

  /// Splits a query such as `广东省深圳市南山区` or `中国广东深圳` into leading areas and the rest. Returns nil if it contains
  /// characters other than Han or does not begin with an area that is followed by at least two characters.
  private func splitHan(_ query: String) -> (areas: [GeocodeRecord], rest: String)? {
    guard query.unicodeScalars.allSatisfy({ (0x3400...0x9FFF).contains($0.value) }) else { return nil }
    var rest = Array(query)
    var areas: [GeocodeRecord] = []
    search: while rest.count >= 4 {
      for length in stride(from: min(rest.count - 2, 12), through: 2, by: -1) {
        let inside = areaRecords(String(rest[..<length])).first { area in
          areas.allSatisfy { isRecord(area, inside: $0) }
        }
        if let inside {
          areas.append(inside)
          rest.removeFirst(length)
          continue search
        }
      }
      break
    }
    return areas.isEmpty ? nil : (areas, String(rest))
  }

  /// Returns the best records with a name inside all `areas`, ranked and without duplicates.
  private func candidates(_ name: String, within areas: [GeocodeRecord], options: Options) -> [Match] {
    var matches: [Match] = []
    // Divisions are not counted, because a division may later be merged with a city.
    var certain = 0
    scan(name) { record, closeness, isAlternate in
      if closeness >= .prefix, certain >= options.limit { return false }
      if let country = options.country, Int(tables.country(of: record)) != country { return true }
      guard areas.allSatisfy({ isRecord(record, inside: $0) }) else { return true }
      if let known = matches.lastIndex(where: { $0.record == record }) {
        if closeness <= matches[known].closeness {
          matches[known].isAlternate =
            isAlternate && (closeness < matches[known].closeness || matches[known].isAlternate)
          matches[known].closeness = closeness
        }
        return true
      }
      if case .division = record {} else if closeness < .prefix { certain += 1 }
      matches.append(
        Match(
          record: record, closeness: closeness, importance: importance(of: record), isAlternate: isAlternate,
          distanceKilometers: distance(of: record, from: options.near)))
      return true
    }
    return ranked(&matches, options)
  }

  /// Returns the best matches without duplicates, no more than `options.limit`.
  func ranked(_ matches: inout [Match], _ options: Options) -> [Match] {
    guard matches.count > 1 else { return matches }
    mergeTwins(&matches)
    matches.sort(by: Self.isBetter)
    if matches.count > options.limit { matches.removeLast(matches.count - options.limit) }
    return matches
  }

  /// Reports the countries with this name as an alias, then the entries whose folded names equal the folded `name`,
  /// then those that start with it. Stops when `report` returns false.
  @inline(__always)
  private func scan(_ name: String, _ report: (GeocodeRecord, Closeness, _ isAlternate: Bool) -> Bool) {
    var name = name
    name.withUTF8 { written in
      let written = UnsafeRawBufferPointer(written)
      FoldedName.withTwo { key, other in
        tables.folding.fold(written, into: &key)
        guard !key.isEmpty else { return }
        for country in countries(calledBy: key) {
          guard report(country, .exact, true) else { return }
        }
        var index = firstEntry(of: key, &other)
        let end = min(tables.search.count, index + Self.candidateLimit)
        while index < end {
          let entry = tables.search.entry(index)
          let text = tables.searchable(entry)
          tables.folding.fold(text, into: &other)
          guard other.hasPrefix(key) else { return }
          let closeness: Closeness = other.count > key.count ? .prefix : other.isWhole(key) ? .exact : .folded
          guard report(tables.record(entry.record), closeness, entry.field >= 2) else { return }
          index += 1
        }
      }
    }
  }

  /// Returns the position of the first entry whose folded name is the key or, if there is none, of the next entry in
  /// order.
  func firstEntry(of key: FoldedName, _ other: inout FoldedName) -> Int {
    let bucket = tables.search.bucket(of: key)
    let mark = SearchTable.mark(of: key)
    for index in bucket where tables.search.mark(index) == mark {
      tables.folding.fold(tables.searchable(tables.search.entry(index)), into: &other)
      if other.count == key.count, other.hasPrefix(key) { return index }
    }
    return bucket.partitionPoint { index in
      tables.folding.fold(tables.searchable(tables.search.entry(index)), into: &other)
      return !other.isBefore(key)
    }
  }

  private static func isBetter(_ a: Match, _ b: Match) -> Bool {
    if a.closeness != b.closeness { return a.closeness < b.closeness }
    if a.edits != b.edits { return a.edits < b.edits }
    if let x = a.distanceKilometers, let y = b.distanceKilometers, (x < nearKilometers) != (y < nearKilometers) {
      return x < y
    }
    if a.rank != b.rank { return a.rank > b.rank }
    if let x = a.distanceKilometers, let y = b.distanceKilometers, x != y { return x < y }
    return false
  }

  /// Merges a matching division of China with a matching place less than 60 km away, normally the city of the same
  /// name. The place adopts the division's closeness if that is better, so 深圳市 matches exactly although the city is
  /// listed as 深圳.
  private func mergeTwins(_ matches: inout [Match]) {
    for index in matches.indices.reversed() {
      guard case .division = matches[index].record, matches[index].closeness < .prefix,
        let here = tables.position(of: matches[index].record)
      else { continue }
      let twin = matches.indices.first { other in
        guard case .place = matches[other].record, matches[other].closeness < .prefix,
          let there = tables.position(of: matches[other].record)
        else { return false }
        return UnitVectors.kilometers(from: tables.coordinate(here), to: tables.coordinate(there)) < 60
      }
      guard let twin else { continue }
      matches[twin].closeness = min(matches[twin].closeness, matches[index].closeness)
      matches.remove(at: index)
    }
  }

  /// Returns a record's importance, which is the population for a place. Countries come before all places. A region has
  /// half the importance of its largest place. Divisions rank among small cities, ordered by the largest city near
  /// them.
  func importance(of record: GeocodeRecord) -> Int {
    switch record {
    case .place(let row): Int(tables.places.population(row))
    case .region(let row): tables.regions.seat(row).map { Int(tables.places.population($0)) / 2 } ?? 0
    case .country: 1_000_000_000_000
    case .division(let row):
      (tables.divisions.code(row) % 100 == 0 ? 100_000 : 50_000) + tables.divisions.inhabitantsNearby(row) / 1000
    }
  }

  func distance(of record: GeocodeRecord, from near: Coordinate?) -> Double? {
    guard let near, let position = tables.position(of: record) else { return nil }
    return UnitVectors.kilometers(from: near, to: tables.coordinate(position))
  }

  /// True if a record is inside an area. Divisions of China are compared by code. A place is inside a division
  /// below the province level if both are in the same province and less than 100 km apart.
  func isRecord(_ record: GeocodeRecord, inside area: GeocodeRecord) -> Bool {
    guard record != area else { return false }
    switch area {
    case .place: return false
    case .country(let row):
      let country = Int(tables.country(of: record))
      return country == row || isCountry(country, partOf: row)
    case .region(let row): return tables.region(of: record).map(Int.init) == row
    case .division(let row):
      let code = tables.divisions.code(row)
      if case .division(let inner) = record {
        let span: Int32 = code % 10_000 == 0 ? 10_000 : code % 100 == 0 ? 100 : 1
        return tables.divisions.code(inner) / span == code / span
      }
      guard tables.region(of: record) == tables.region(of: area), let here = tables.position(of: record) else {
        return false
      }
      let there = tables.coordinate(tables.divisions.position(row))
      return code % 10_000 == 0 || UnitVectors.kilometers(from: tables.coordinate(here), to: there) < 100
    }
  }

  private static func trim(_ text: Substring) -> String {
    var text = text
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
