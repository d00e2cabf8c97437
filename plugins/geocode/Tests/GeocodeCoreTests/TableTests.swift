import GeocodeCore
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct TableTests {
  /// Runs `body` with a folder that contains a copy of the tables with one changed file.
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

  /// L12, C19: the 249 countries of ISO 3166-1 and Kosovo, without withdrawn codes.
  @Test func `contain all countries and places, in at most 12 MB`() throws {
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

  @Test(arguments: GeocodeTables.fileNames) func `are refused if one byte differs`(_ name: String) throws {
    try withDamage(to: name, { $0[$0.count / 2] ^= 1 }) { folder in
      let error = #expect(throws: TableError.self) { try GeocodeTables(folder: folder) }
      guard case .corrupt(let file, let line, _)? = error else { throw try #require(error) }
      #expect(file == name)
      #expect((line == nil) == name.hasSuffix(".bin"))
    }
  }

  @Test func `are refused if truncated, and the error contains the last line`() throws {
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

  @Test func `are refused if one is missing, and the error contains its path`() throws {
    #expect(throws: TableError.unreadable(path: "/nowhere/manifest.tsv", reason: "No such file or directory")) {
      try GeocodeTables(folder: "/nowhere")
    }
  }

  @Test func `are refused if one is empty or the manifest is invalid`() throws {
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
  func `are refused if a row is invalid, and the error contains its line number`(
    _ name: String, offset: Int, from: UInt8, to: UInt8, problem: String
  ) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Shared.folder + "/places.tsv")))
    // The first such byte in a name at the beginning of a row.
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

  /// Wherever a file is truncated, loading reports that and does not read beyond the end of the file.
  @Test func `are refused wherever they are truncated`() throws {
    for name in GeocodeTables.fileNames + [GeocodeTables.manifestName] {
      let size = try Data(contentsOf: URL(fileURLWithPath: Shared.folder + "/" + name)).count
      for kept in [1, 15, 16, 100, size / 2, size - 1] where kept < size {
        try withDamage(to: name, { $0.removeSubrange(kept...) }) { folder in
          #expect(throws: TableError.self, "\(name) of \(kept) bytes") { try GeocodeTables(folder: folder) }
        }
      }
    }
  }

  /// A script creates the index; this compares its parts with each other.
  @Test func `find each place at its own position, or another one within 20 km`() throws {
    for row in stride(from: 0, to: Shared.tables.placeCount, by: 11) {
      let here = Shared.tables.coordinate(ofPlace: row)
      let match = try #require(Shared.reverse.match(here))
      let found = try #require(match.place)
      let distance = try #require(match.distanceKilometers)
      // Two places may have the same position, and a nearby place of the correct country may be preferred.
      #expect(distance < (found == row ? 0.01 : 20), "row \(row), found \(found)")
    }
  }
}
