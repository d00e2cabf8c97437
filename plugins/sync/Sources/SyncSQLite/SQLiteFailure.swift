import FlowPlatform
import FlowSQLite

/// Describes errors of a SQLite file and their remedies.
enum SQLiteFailure {
  static func text(_ error: any Error, path: String) -> String {
    switch error {
    case let error as SQLiteError: text(error, path)
    case let error as SQLiteConnection.NewerFormat:
      text(NewerVersion(found: error.found, known: error.known), path: path)
    default: "'\(path)': \(error)"
    }
  }

  private static func text(_ error: SQLiteError, _ path: String) -> String {
    let what = error.message
    switch error.kind {
    case .full: return "'\(path)': the disk is full (\(what)); nothing was lost, free some space"
    case .notADatabase: return "'\(path)' is no SQLite file (\(what)); move it away or name another"
    case .corrupt: return "'\(path)' is damaged (\(what)); it is left untouched, restore it or move it away"
    case .cannotOpen: return "'\(path)' cannot be opened (\(what)); check the folder and its rights"
    case .readOnly: return "'\(path)' cannot be written (\(what)); check its rights"
    case .busy: return "'\(path)' was locked by another process for too long (\(what))"
    default: return "'\(path)': \(what)"
    }
  }

  /// Opens a file for writing, with a write-ahead log and durable commits. Waits up to 5 s for locks of other
  /// processes.
  static func open(_ path: String) throws -> SQLiteQueue {
    try SQLiteQueue(
      path, busyMilliseconds: busyMilliseconds, setup: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL",
      longestLog: longestLog)
  }

  /// The length of the log, in pages, from which it is copied into the file.
  private static let longestLog = 256

  /// The maximum time in milliseconds to wait for a lock of another process.
  static let busyMilliseconds = 5000

  /// Throws if a file is not one that devices share, or has a format that is too old to be read. Does not change the
  /// file. Unless `mayBeEmpty` is true, the file must exist and have content.
  static func requireShared(_ path: String, oldest: Int, mayBeEmpty: Bool) throws {
    guard FilePath.isFile(path) else {
      if !mayBeEmpty { throw NoStore() }
      return
    }
    let database = try SQLiteConnection(path, .readOnly, busyMilliseconds: busyMilliseconds)
    try database.snapshot {
      if try !database.hasTable("zone") {
        if try database.hasTable("replica") { throw ForeignFile(isOfDevice: true) }
        if try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0 { throw ForeignFile(isOfDevice: false) }
        if !mayBeEmpty { throw NoStore() }
      }
      let found = try database.integer("PRAGMA user_version") ?? 0
      if (1..<oldest).contains(found) { throw RemovedFormat(found: found, oldest: oldest) }
    }
  }

  struct NoStore: Error, CustomStringConvertible {
    var description: String { "it has no store; name the file that a server or devices share" }
  }

  struct ForeignFile: Error, CustomStringConvertible {
    var isOfDevice: Bool
    var description: String {
      isOfDevice
        ? "it is a device's own file and cannot be shared; name another file, which is created if it is missing"
        : "it is an SQLite file of another program and stays unchanged; name another file, which is created if it is missing"
    }
  }

  struct RemovedFormat: Error, CustomStringConvertible {
    var found: Int
    var oldest: Int
    var description: String {
      "it has format \(found) and this version reads formats from \(oldest) on; move it away, and devices with 'on-other-store: merge' fill a new one"
    }
  }

  struct NewerVersion: Error, CustomStringConvertible {
    var found: Int
    var known: Int
    var description: String { "it has format \(found) and this version knows formats up to \(known): update flowrun" }
  }
}
