import CSQLite
import Foundation
import SyncSQLite

/// Measures the time that SQLite alone needs for the work of a shared file. One process writes a row, and another one,
/// which polls as often as a device does, reads it.
final class BareFile {
  private let file: File
  private let looking: Child
  private(set) var latencies = Latencies()
  private var number = 0

  init() throws {
    let path = NSTemporaryDirectory() + "sync-benchmark-bare-\(UUID().uuidString).sqlite"
    file = try File(path)
    try file.execute("CREATE TABLE bare (n INTEGER); INSERT INTO bare VALUES (0)")
    looking = try Child(["look", path])
  }

  /// An open file with a write-ahead log. Every write waits for the disk.
  private final class File {
    private var handle: OpaquePointer?

    init(_ path: String) throws {
      guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure("'\(path)' cannot be opened") }
      sqlite3_busy_timeout(handle, 5000)
      try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }

    deinit { sqlite3_close(handle) }

    func execute(_ text: String) throws {
      guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else {
        throw Failure("'\(text)' failed: \(String(cString: sqlite3_errmsg(handle)))")
      }
    }

    func integer(_ text: String) throws -> Int {
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW
      else { throw Failure("'\(text)' failed: \(String(cString: sqlite3_errmsg(handle)))") }
      return Int(sqlite3_column_int64(statement, 0))
    }
  }

  /// Measures the time from the start of a write until the other process has read the row.
  func write() async throws {
    if number == 0, await looking.line() != "0" { throw Failure("the looking process did not begin") }
    number += 1
    let (began, wanted) = (Instant.now, number)
    try file.execute("UPDATE bare SET n = \(wanted)")
    guard await looking.line() == "\(wanted)" else { throw Failure("the looking process ended early") }
    latencies.record(nanoseconds: Instant.now - began)
  }

  func end() { looking.end() }

  /// Runs the process that reads. It prints a line for each new value.
  static func look(_ path: String) throws {
    let file = try File(path)
    var (seen, shown): (Int?, Int?) = (nil, nil)
    // The loop ends when the parent closes this process's input.
    var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    while poll(&input, 1, Int32(SQLiteBackend.watchMilliseconds)) == 0 {
      let version = try file.integer("PRAGMA data_version")
      if version == seen { continue }
      seen = version
      let number = try file.integer("SELECT n FROM bare")
      if shown != number { Child.say("\(number)") }
      shown = number
    }
  }
}
