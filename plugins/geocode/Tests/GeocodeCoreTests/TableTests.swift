import GeocodeCore
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct TableTests {
  /// Calls `body` with a folder that contains a copy of the tables in which one file is damaged by `change`.
  func withDamage(
    to name: String, _ change: (inout [UInt8]) -> Void, _ body: (String) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/geocode-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for file in GeocodeTables.fileNames + [GeocodeTables.manifestName] where file != name {
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/" + file, withDestinationPath: Shared.folder + "/" + file)
    }
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Shared.folder + "/" + name)))
    change(&bytes)
    if !bytes.isEmpty || name != "absent" { try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name)) }
    try body(folder)
  }

  /// The tables must contain the 249 countries of ISO 3166-1 and Kosovo, but no withdrawn codes (L12, C19).
  @Test func `contains 250 countries and more than 214,000 places in at most 12 MB`() throws {
    #expect(Shared.tables.countryCount == 250)
    for withdrawn in ["AN", "CS"] { #expect(Shared.tables.countryNumber(ofCode: withdrawn) == nil) }
    #expect(Shared.tables.placeCount > 214_000)
    let france = try #require(Shared.tables.allCountries.first { $0.code == "FR" })
    #expect(france.code3 == "FRA" && france.name == "France" && france.chineseName == "法国" && france.capital == "Paris")
    #expect(france.neighbors.contains("DE"))
    let sizes = try (GeocodeTables.fileNames + [GeocodeTables.manifestName]).map {
      try Data(contentsOf: URL(fileURLWithPath: Shared.folder + "/" + $0)).count
    }
    #expect(sizes.reduce(0, +) <= 12_000_000)
  }

  @Test(arguments: GeocodeTables.fileNames) func `refuses a table in which one byte differs`(_ name: String) throws {
    try withDamage(to: name, { $0[$0.count / 2] ^= 1 }) { folder in
      let error = #expect(throws: TableError.self) { try GeocodeTables(folder: folder) }
      guard case .corrupt(let file, let line, _)? = error else { throw try #require(error) }
      #expect(file == name)
      #expect((line == nil) == name.hasSuffix(".bin"))
    }
  }

  @Test func `refuses a truncated table and reports the last line`() throws {
    let whole = String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: Shared.folder + "/places.tsv")), as: UTF8.self)
    let kept = whole.utf8.prefix(100_000)
    let line = kept.count { $0 == 10 } + 1
    try withDamage(to: "places.tsv", { $0.removeSubrange(100_000...) }) { folder in
      let error = #expect(throws: TableError.self) { try GeocodeTables(folder: folder) }
      #expect(
        error?.description
          == "places.tsv:\(line): 100000 bytes where the manifest says \(whole.utf8.count); the geocoder's tables are "
          + "damaged, install them again")
    }
  }

  @Test func `reports the path of a missing table`() throws {
    #expect(throws: TableError.unreadable(path: "/nowhere/manifest.tsv", reason: "No such file or directory")) {
      try GeocodeTables(folder: "/nowhere")
    }
  }

  @Test func `refuses an empty table and an invalid manifest`() throws {
    try withDamage(to: "divisions.tsv", { $0 = [] }) { folder in
      #expect(throws: TableError.corrupt(file: "divisions.tsv", line: 1, problem: "the file is empty")) {
        try GeocodeTables(folder: folder)
      }
    }
    let problem = "its last row is not the sum of the rows before it"
    for damage: (inout [UInt8]) -> Void in [
      { $0 = Array("file\tbytes\tchecksums\n".utf8) }, { $0[$0.count / 2] = $0[$0.count / 2] == 0x61 ? 0x62 : 0x61 },
      { $0.removeLast(60) },
    ] {
      try withDamage(to: "manifest.tsv", damage) { folder in
        let error = #expect(throws: TableError.self) { try GeocodeTables(folder: folder) }
        guard case .corrupt(let file, let line, let text)? = error else { throw try #require(error) }
        #expect(file == "manifest.tsv")
        #expect(line != nil || text == problem)
      }
    }
  }

  @Test(arguments: [
    ("a missing tab", 5_000, UInt8(ascii: "\t"), UInt8(ascii: "x"), "2 columns where the first line has 3"),
    ("a row cut in two", 5_000, UInt8(ascii: "a"), UInt8(ascii: "\n"), "1 columns where the first line has 3"),
    ("a control character", 60_000, UInt8(ascii: "a"), 0, "a control character"),
    ("broken UTF-8", 90_000, UInt8(ascii: "a"), 0xFF, "the row is not valid UTF-8"),
  ])
  func `refuses a table with an invalid row and reports its line number`(
    _ name: String, offset: Int, from: UInt8, to: UInt8, problem: String
  ) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Shared.folder + "/places.tsv")))
    // Damages the first byte `from` in the name at the beginning of a row.
    let row = try #require(bytes[offset...].firstIndex(of: UInt8(ascii: "\n"))) + 1
    let place = try #require(
      bytes.indices[row...].first { index in
        bytes[index] == from
          && !bytes[..<index].reversed().prefix { $0 != UInt8(ascii: "\n") }.contains(UInt8(ascii: "\t"))
      })
    let line = bytes[..<place].count { $0 == 10 } + 1
    try withDamage(to: "places.tsv", { $0[place] = to }) { folder in
      #expect(throws: TableError.corrupt(file: "places.tsv", line: line, problem: problem)) {
        try GeocodeTables(folder: folder)
      }
    }
  }

  /// A truncated file must be reported and must not be read beyond its end.
  @Test func `refuses tables that are truncated to 1, 15, 16 or 100 bytes, to half or by the last byte`() throws {
    for name in GeocodeTables.fileNames + [GeocodeTables.manifestName] {
      let size = try Data(contentsOf: URL(fileURLWithPath: Shared.folder + "/" + name)).count
      for kept in [1, 15, 16, 100, size / 2, size - 1] where kept < size {
        try withDamage(to: name, { $0.removeSubrange(kept...) }) { folder in
          #expect(throws: TableError.self, "\(name) of \(kept) bytes") { try GeocodeTables(folder: folder) }
        }
      }
    }
  }

  /// A script creates the index. This test compares its parts with each other.
  @Test func `finds every eleventh place at its own position, or another place within 20 km`() throws {
    for row in stride(from: 0, to: Shared.tables.placeCount, by: 11) {
      let here = Shared.tables.coordinate(ofPlace: row)
      let match = try #require(Shared.reverse.match(here))
      let found = try #require(match.place)
      let distance = try #require(match.distanceKilometers)
      // Another place may have the same position, or a nearby place may be preferred because of its province.
      #expect(distance < (found == row ? 0.01 : 20), "row \(row), found \(found)")
    }
  }
}
