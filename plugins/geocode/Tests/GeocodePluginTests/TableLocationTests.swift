import Foundation
import Testing

@testable import GeocodePlugin

struct TableLocationTests {
  @Test(arguments: ["Tables", "Contents/Resources/Tables"])
  func `finds the tables in a flat bundle and in a macOS bundle built by Xcode`(_ place: String) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/tables-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let bundle = folder + "/flowrun_GeocodePlugin.bundle"
    #expect(TableLocation.first(of: TableLocation.tables(inBundle: bundle)) == nil)
    try FileManager.default.createDirectory(atPath: "\(bundle)/\(place)", withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: "\(bundle)/\(place)/manifest.tsv"))
    #expect(TableLocation.first(of: TableLocation.tables(inBundle: bundle)) == "\(bundle)/\(place)")
  }
}
