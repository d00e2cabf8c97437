import GeocodeCore
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct TableTests {
  /// A copy of the tables with one file changed.
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

  /// L12.
  @Test func `holds all countries, and stays within 5 MB`() throws {
    #expect(Shared.tables.countryCount == 252)
    #expect(Shared.tables.placeCount > 69_000)
    #expect(Shared.tables.cloudCount > 140_000)
    let france = try #require(Shared.tables.allCountries.first { $0.code == "FR" })
    #expect(france.code3 == "FRA" && france.name == "France" && france.chineseName == "法国" && france.capital == "Paris")
    #expect(france.neighbours.contains("DE"))
    let sizes = try (GeocodeTables.fileNames + [GeocodeTables.manifestName]).map {
      try Data(contentsOf: URL(fileURLWithPath: Shared.folder + "/" + $0)).count
    }
    #expect(sizes.reduce(0, +) <= 5_000_000)
  }

  @Test(arguments: GeocodeTables.fileNames) func `notices a single changed byte and names the file`(_ name: String)
    throws
  {
    try withDamage(to: name, { $0[$0.count / 2] ^= 1 }) { folder in
      let error = #expect(throws: TableError.self) { try GeocodeTables(folder: folder) }
      guard case .corrupt(let file, let line, _)? = error else { throw try #require(error) }
      #expect(file == name)
      #expect((line == nil) == name.hasSuffix(".bin"))
    }
  }

  @Test func `names the line at which a truncated table ends`() throws {
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

  @Test func `says which table is missing`() throws {
    #expect(throws: TableError.unreadable(path: "/nowhere/manifest.tsv", reason: "No such file or directory")) {
      try GeocodeTables(folder: "/nowhere")
    }
  }

  @Test func `refuses an empty table and a manifest without a row`() throws {
    try withDamage(to: "borders.tsv", { $0 = [] }) { folder in
      #expect(throws: TableError.corrupt(file: "borders.tsv", line: 1, problem: "the file is empty")) {
        try GeocodeTables(folder: folder)
      }
    }
    try withDamage(to: "manifest.tsv", { $0 = Array("file\tbytes\tchecksums\n".utf8) }) { folder in
      #expect(throws: TableError.corrupt(file: "manifest.tsv", line: nil, problem: "no row for countries.tsv")) {
        try GeocodeTables(folder: folder)
      }
    }
  }
}
