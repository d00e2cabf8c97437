import Foundation
import GRDB
import SyncSQLite

/// What SQLite takes by itself for what a shared file is used for: a row is written, another process finds it, which looks as
/// often as a device does.
final class BareFile {
  private let queue: DatabaseQueue
  private let looking: Child
  private(set) var latencies = Latencies()
  private var number = 0

  init() throws {
    let path = NSTemporaryDirectory() + "sync-benchmark-bare-\(UUID().uuidString).sqlite"
    queue = try Self.open(path)
    try queue.write { database in
      try database.execute(sql: "CREATE TABLE bare (n INTEGER); INSERT INTO bare VALUES (0)")
    }
    looking = try Child(["look", path])
  }

  private static func open(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Takes the time from before the write until the other process has read it.
  func write() async throws {
    if number == 0, await looking.line() != "0" { throw Failure("the looking process did not begin") }
    number += 1
    let (began, wanted) = (Instant.now, number)
    try await queue.write { try $0.execute(sql: "UPDATE bare SET n = ?", arguments: [wanted]) }
    guard await looking.line() == "\(wanted)" else { throw Failure("the looking process ended early") }
    latencies.record(nanoseconds: Instant.now - began)
  }

  func end() { looking.end() }

  /// The process that looks: a line for each value.
  static func look(_ path: String) throws {
    let queue = try open(path)
    var (seen, shown): (Int64?, Int?) = (nil, nil)
    // The parent ends this by closing its input.
    var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    while poll(&input, 1, Int32(SQLiteBackend.watchMilliseconds)) == 0 {
      let found = try queue.read { database -> (Int64, Int)? in
        let version = try Int64.fetchOne(database, sql: "PRAGMA data_version") ?? 0
        if version == seen { return nil }
        return (version, try Int.fetchOne(database, sql: "SELECT n FROM bare") ?? 0)
      }
      guard let (version, number) = found else { continue }
      seen = version
      if shown != number { Child.say("\(number)") }
      shown = number
    }
  }
}
