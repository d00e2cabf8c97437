import GRDB

/// What went wrong with a SQLite file, in words that say what to do.
enum SQLiteFailure {
  static func text(_ error: any Error, path: String) -> String {
    guard let error = error as? DatabaseError else { return "'\(path)': \(error)" }
    let what = error.message ?? "\(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_FULL: return "'\(path)': the disk is full (\(what)); nothing was lost, free some space"
    case .SQLITE_NOTADB: return "'\(path)' is no SQLite file (\(what)); move it away or name another"
    case .SQLITE_CORRUPT: return "'\(path)' is damaged (\(what)); it is left untouched, restore it or move it away"
    case .SQLITE_CANTOPEN: return "'\(path)' cannot be opened (\(what)); check the folder and its rights"
    case .SQLITE_READONLY: return "'\(path)' cannot be written (\(what)); check its rights"
    case .SQLITE_BUSY: return "'\(path)' was locked by another process for too long (\(what))"
    default: return "'\(path)': \(what)"
    }
  }

  /// How every file here is opened: write-ahead log, durable commits, 5 s of patience with other processes.
  static func configuration() -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    return configuration
  }

  struct NewerVersion: Error, CustomStringConvertible {
    var found: Int
    var known: Int
    var description: String { "it has format \(found) and this version knows formats up to \(known): update flowrun" }
  }

  /// Brings the file up to date, one version after the other; refuses a file of a newer version.
  static func migrate(_ queue: DatabaseQueue, schemas: [String]) throws {
    try queue.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        if found > schemas.count { throw NewerVersion(found: found, known: schemas.count) }
        for sql in schemas.dropFirst(found) { try database.execute(sql: sql) }
        if found < schemas.count { try database.execute(sql: "PRAGMA user_version = \(schemas.count)") }
        return .commit
      }
    }
  }
}
