import FlowSQLite
import Foundation

/// The data folders of one test, which are removed at its end.
final class DataFolders: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "launch-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func folder(_ name: String) -> String { path + "/" + name }

  /// Returns the numbers of trips and destinations in the store in `data`. Both are 0 if there is no store.
  static func counts(in data: String) throws -> [Int] {
    let store = data + "/footprint.sqlite"
    guard FileManager.default.fileExists(atPath: store) else { return [0, 0] }
    let db = try SQLiteConnection(store)
    return try ["TravelTrip", "TravelDestination"].map { table in
      try db.hasTable(table) ? try db.integer("SELECT count(*) FROM \(table)") ?? -1 : 0
    }
  }
}
