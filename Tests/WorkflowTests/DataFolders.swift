import FlowSQLite
import Foundation

/// Data folders of one test's own, removed when the test is over.
final class DataFolders: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "launch-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func folder(_ name: String) -> String { path + "/" + name }

  /// How many trips and destinations the store in `data` holds; both zero where there is no store yet.
  static func counts(in data: String) throws -> [Int] {
    let store = data + "/footprint.sqlite"
    guard FileManager.default.fileExists(atPath: store) else { return [0, 0] }
    let db = try SQLiteConnection(store)
    return try ["TravelTrip", "TravelDestination"].map { table in
      try db.hasTable(table) ? try db.integer("SELECT count(*) FROM \(table)") ?? -1 : 0
    }
  }
}
