import CFlowStore
import FlowStore
import FlowSystem

// How a store lies in its file, and how it is opened.
extension SQLiteRunStore {
  /// The format that is written, SQLite's `user_version`. Since 2 definitions are told apart by their fingerprint.
  static let version = 2

  private static let schema = """
    CREATE TABLE definition(
      number INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, length INTEGER NOT NULL, bytes BLOB NOT NULL);
    CREATE INDEX definition_content ON definition(checksum, length);
    CREATE TABLE run(
      number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, file TEXT NOT NULL,
      definition INTEGER NOT NULL, started INTEGER NOT NULL, state TEXT NOT NULL, epoch INTEGER NOT NULL,
      process INTEGER NOT NULL, host TEXT NOT NULL, header BLOB NOT NULL, summary BLOB NOT NULL, chunks INTEGER NOT NULL,
      checksum INTEGER NOT NULL);
    CREATE TABLE chunk(
      key INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, body BLOB NOT NULL, checksum INTEGER NOT NULL);
    CREATE TABLE request(
      number INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, body BLOB NOT NULL, answer BLOB,
      checksum INTEGER NOT NULL);
    CREATE INDEX request_run ON request(run);
    PRAGMA user_version = \(version);
    """

  /// Opens the file; makes it, and its folder, where they are missing and it is to be written.
  static func open(_ path: String, readOnly: Bool) throws(StoreProblem) -> SQLiteConnection {
    if !readOnly { try makeFile(path) }
    let connection = try SQLiteConnection(path, readOnly: readOnly)
    if try connection.version == 0, !readOnly { try create(connection) }
    let version = try connection.version
    guard version <= Self.version else { throw .newer(path: path, version: version) }
    guard version > 0 else { throw .damaged(path: path, cause: "it holds no runs") }
    if version < Self.version, !readOnly { try connection.execute("PRAGMA user_version = \(Self.version)") }
    return connection
  }

  /// Makes an empty file that its owner alone may read, and its folder.
  private static func makeFile(_ path: String) throws(StoreProblem) {
    if access(path, F_OK) == 0 { return }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    if mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw .unusable(path: path, cause: "its folder cannot be made: \(SystemError.reason(errno))")
    }
    let file = Descriptor(FlowSystem.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    guard file.number >= 0 else { throw .unusable(path: path, cause: SystemError.reason(errno)) }
  }

  /// Makes the tables. One process does it while others that come at the same time wait.
  private static func create(_ connection: SQLiteConnection) throws(StoreProblem) {
    let lock = try creationLock(connection.path)
    defer { withExtendedLifetime(lock) {} }
    guard try connection.version == 0 else { return }
    let folder = connection.path.lastIndex(of: "/").map { String(connection.path[..<$0]) } ?? "."
    // What is made anew holds nothing that could be lost, so no disk is waited for. A log that is shared through memory
    // needs one machine.
    let mode = flow_is_network_folder(folder) == 1 ? "TRUNCATE" : "WAL"
    try connection.execute("PRAGMA synchronous = OFF; PRAGMA page_size = 4096; PRAGMA journal_mode = \(mode)")
    try connection.transaction { () throws(StoreProblem) in try connection.execute(schema) }
  }

  /// The lock under which tables are made: byte 0 of the runs' lock file. Waits at most 5 s.
  private static func creationLock(_ path: String) throws(StoreProblem) -> RunLock {
    for _ in 0..<1000 {
      do throws(SystemError) {
        if let lock = try RunLock.take(lockPath(path), byte: 0) { return lock }
      } catch {
        throw .unusable(path: path, cause: error.description)
      }
      usleep(5000)
    }
    throw .unusable(path: path, cause: "another process has been making it for 5 s")
  }

  /// The file of which each run holds a byte.
  static func lockPath(_ path: String) -> String { path + ".lock" }

  /// Puts a damaged store out of the way under another name beside it, and says which.
  public static func moveAside(_ path: String, atSeconds now: Int) throws(StoreProblem) -> String {
    var target = "\(path).damaged-\(now)"
    var number = 1
    while access(target, F_OK) == 0 {
      number += 1
      target = "\(path).damaged-\(now)-\(number)"
    }
    guard rename(path, target) == 0 else {
      throw .unusable(path: path, cause: "it is damaged and cannot be moved aside: \(SystemError.reason(errno))")
    }
    _ = rename(path + "-wal", target + "-wal")
    unlink(path + "-shm")
    return target
  }
}

extension SQLiteConnection {
  /// The format of what is stored; 0: nothing is.
  var version: Int {
    get throws(StoreProblem) {
      var version = 0
      try run("PRAGMA user_version") { row throws(StoreProblem) in version = row.integer(0) }
      return version
    }
  }
}
