import FlowModel
import FlowPluginKit
import FlowSQLite
import FlowTestKit
import Foundation
import StorageCore
import Testing

@testable import FootprintPlugin

/// Tests that the first launch sets up the store exactly once, even if it is interrupted (R6).
struct `Importing the sample` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func counts() throws -> [Int] {
    let db = try SQLiteConnection(folder.file("store.sqlite"))
    return try ["TravelTrip", "TravelDestination"].map {
      try db.hasTable($0) ? try db.integer("SELECT count(*) FROM \($0)") ?? -1 : 0
    }
  }

  private func launch(sample: Bool = true) async throws -> Value? {
    let host = try await folder.opened()
    let outputs = try await host.call(Prepare.self, with: ["sample": .boolean(sample)])
    try host.closeHandles()
    return outputs["imported"]
  }

  @Test func `adds 17 valid trips and 136 valid places`() async throws {
    #expect(try await launch() == 136)
    #expect(try counts() == [17, 136])
    let db = try SQLiteConnection(folder.file("store.sqlite"))
    // Every visit must be within the dates of its trip, and every trip must have places.
    let misplaced = try db.all(
      """
      SELECT TravelDestination.name FROM TravelDestination JOIN TravelTrip ON TravelTrip.id = tripId
      WHERE visitDate NOT BETWEEN startDate AND endDate
      """
    ) { $0.text(0) }
    #expect(misplaced == [])
    let empty = try db.all(
      "SELECT id FROM TravelTrip WHERE id NOT IN (SELECT tripId FROM TravelDestination WHERE tripId NOTNULL)"
    ) { $0.text(0) }
    #expect(empty == [])
    #expect(try db.all("PRAGMA foreign_key_check") { $0.text(0) } == [])
  }

  @Test func `R6: imports the sample only once, even if the user deletes everything later`() async throws {
    #expect(try await launch() == 136)
    #expect(try await launch() == 0)
    try SQLiteConnection(folder.file("store.sqlite")).execute("DELETE FROM TravelDestination; DELETE FROM TravelTrip")
    #expect(try await launch() == 0)
    #expect(try counts() == [0, 0])
  }

  @Test func `adds nothing to a store that contains a trip`() async throws {
    #expect(try await launch(sample: false) == 0)
    try SQLiteConnection(folder.file("store.sqlite")).execute(
      "INSERT INTO TravelTrip VALUES ('a', 'A', '2020-01-01', '2020-01-02', '')")
    #expect(try await launch() == 0)
    #expect(try counts() == [1, 0])
  }

  #if os(Linux) || os(macOS)
    /// The process kills itself with signal 9 after writing some rows. No row may then be stored, and the next launch
    /// must import everything.
    @Test(arguments: [1, 18, 100, 153])
    func `R6: stores nothing if the process is killed, and imports the sample at the next launch`(
      _ row: Int
    ) async throws {
      let path = folder.file("store.sqlite")
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, row = row as Int] in
        let sample = SampleImport { written, _ in if written == row { kill(getpid(), SIGKILL) } }
        _ = try Journeys.prepare(Store.open(at: path).store, sample: sample)
      }
      #expect(try counts() == [0, 0])
      #expect(try await launch() == 136)
      #expect(try counts() == [17, 136])
    }
  #endif

  @Test func `stores nothing if it is cancelled, and imports the sample at the next launch`() async throws {
    let host = try await folder.opened()
    host.cancel()
    await #expect(throws: CancellationError.self) { try await host.call(Prepare.self, with: ["sample": true]) }
    #expect(try counts() == [0, 0])
    #expect(try await launch() == 136)
  }

  @Test(.timeLimit(.minutes(10))) func `imports the sample only once if eight launches run concurrently`() async throws
  {
    let imported = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 { group.addTask { try await launch()?.integerValue ?? -1 } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(imported.sorted() == [0, 0, 0, 0, 0, 0, 0, 136])
    #expect(try counts() == [17, 136])
  }
}
