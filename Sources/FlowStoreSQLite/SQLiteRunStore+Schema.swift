import CFlowStore
import FlowStore
import FlowPlatform

// The tables of a store, and the checks when it is opened.
extension SQLiteRunStore {
  /// The format that this program writes, stored as SQLite's `user_version`. Since format 2, definitions are identified
  /// by their fingerprint.
  static let version = 2

  /// A second copy of the format number. It ensures that a flipped bit is not mistaken for a newer format.
  private static let applicationID = 0x466C_7200 | version

  private static let statements = [
    """
    CREATE TABLE definition(
      number INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, length INTEGER NOT NULL, bytes BLOB NOT NULL)
    """,
    "CREATE INDEX definition_content ON definition(checksum, length)",
    """
    CREATE TABLE run(
      number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, file TEXT NOT NULL,
      definition INTEGER NOT NULL, started INTEGER NOT NULL, state TEXT NOT NULL, epoch INTEGER NOT NULL,
      process INTEGER NOT NULL, host TEXT NOT NULL, header BLOB NOT NULL, summary BLOB NOT NULL, chunks INTEGER NOT NULL,
      checksum INTEGER NOT NULL)
    """,
    """
    CREATE TABLE chunk(
      key INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, body BLOB NOT NULL, checksum INTEGER NOT NULL)
    """,
    """
    CREATE TABLE request(
      number INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, body BLOB NOT NULL, answer BLOB,
      checksum INTEGER NOT NULL)
    """,
    "CREATE INDEX request_run ON request(run)",
  ]

  /// Opens the file. If the main file is damaged, `flaw` is set and the rest can still be read.
  ///
  /// A log or main file that has changed since it was last known to be intact is checked completely: SQLite itself
  /// would use the log up to the first bad frame, and treat an empty file as a new database.
  static func open(
    _ path: String, readOnly: Bool, _ recordFile: borrowing Descriptor, flaw: inout String?
  ) throws(StoreProblem) -> SQLiteConnection {
    // The stamps are read before the record, because an older record could require a log that has since been replaced.
    let stamps = StoreStamps(of: path)
    var record = StoreRecord.read(recordFile)
    if access(path, F_OK) == 0, isEmpty(path) {
      throw isNew(path) ? .unusable(path: path, cause: "it holds no runs yet") : lostFile(path)
    }
    if stamps.log != record.stamps.log, let cause = record.logFlaw(of: path, stamps) {
      throw .damaged(path: path, cause: cause)
    }
    let connection = try SQLiteConnection(path, readOnly: readOnly)
    try checkVersion(connection)
    if stamps.file != record.stamps.file { flaw = try self.flaw(of: connection) }
    guard flaw == nil else { return connection }
    // Do not record as intact what another process has written since the check.
    if record.stamps != stamps, StoreStamps(of: path) == stamps {
      if record.durableSalt != 0, !StoreRecord.hasLog(record.durableSalt, path) { record.noteLogReplaced() }
      record.stamps = stamps
      record.node = FileIdentity(path)?.number ?? 0
      record.write(to: recordFile)
    }
    if !readOnly, try connection.version < version { try connection.execute("PRAGMA user_version = \(version)") }
    return connection
  }

  private static func isEmpty(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 || status.st_size == 0
  }

  /// True if the store at a path contains no run: its file is missing or has 0 bytes, and its log is empty.
  package static func isNew(_ path: String) -> Bool { isEmpty(path) && StoreRecord.isLogEmpty(of: path) }

  private static func lostFile(_ path: String) -> StoreProblem {
    .damaged(path: path, cause: "its main file is empty and its log is not")
  }

  /// Throws if this program cannot read the store's format, or if the format number is damaged.
  private static func checkVersion(_ connection: SQLiteConnection) throws(StoreProblem) {
    let found = try connection.version
    guard found != 0 else { throw .damaged(path: connection.path, cause: "it holds no runs") }
    guard !(1...version).contains(found) else { return }
    // A newer version of flowrun writes its format in both places. Format 3 differs in only one bit, and is accepted as
    // newer.
    let isOneBit = (found ^ version).nonzeroBitCount == 1 || found < 0
    guard isOneBit, found != version + 1, try connection.integer("PRAGMA application_id") == applicationID else {
      throw .newer(path: connection.path, version: found)
    }
    throw .damaged(path: connection.path, cause: "its format is damaged")
  }

  /// Returns a description of the damage to the main file, or nil if the file is intact.
  private static func flaw(of connection: SQLiteConnection) throws(StoreProblem) -> String? {
    do throws(StoreProblem) {
      guard isKnown(header: try connection.fileHeader()) else { return "its header is damaged" }
      // All comparisons use one snapshot, because other processes may add runs at the same time.
      try connection.execute("BEGIN")
      defer { try? connection.execute("ROLLBACK") }
      var found: [String] = []
      try connection.run("SELECT sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY sql") {
        row throws(StoreProblem) in found.append(row.text(0))
      }
      guard found == statements.sorted() else { return "its tables are not what was written" }
      let last = try connection.integer(selectLastNumber)
      guard (0...Int(UInt32.max >> 1)).contains(last), try connection.integer("SELECT max(number) FROM run") <= last
      else {
        return "the numbers of its runs are not what was written"
      }
      let strayJournals = """
        SELECT count(*) FROM (SELECT 1 FROM chunk GROUP BY key >> 32
        HAVING count(*) <> (max(key) & 4294967295) + 1 OR max(key) >> 32 NOT IN (SELECT number FROM run))
        """
      guard try connection.integer(strayJournals) == 0 else {
        return "the parts of its journals are not what was written"
      }
      var problem = ""
      try connection.run("PRAGMA integrity_check(1)") { row throws(StoreProblem) in problem = row.text(0) }
      return problem == "ok" ? nil : problem
    } catch {
      guard case .damaged(_, let cause) = error else { throw error }
      return cause
    }
  }

  /// True if a file has the header of a run store. Bytes that SQLite changes later are ignored. The schema format and
  /// the text encoding, at bytes 44 and 56, may both be 0, because earlier versions wrote the tables only to the log.
  private static func isKnown(header: [UInt8]) -> Bool {
    func number(_ offset: Int) -> Int { header[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    return header.starts(with: Array("SQLite format 3\u{0}".utf8)) && Array(header[16...17]) == [16, 0]
      && (header[18] == 1 || header[18] == 2) && header[18] == header[19] && Array(header[20...23]) == [0, 64, 32, 32]
      && (number(44) == 4 && number(56) == 1 || number(44) == 0 && number(56) == 0)
      && number(52) == 0 && number(64) == 0 && header[72..<92].allSatisfy { $0 == 0 }
  }

  /// Creates the store if it is new. A lock makes other processes wait in the meantime.
  ///
  /// The tables are created in a file with another name, which then replaces the missing or empty file. So a process
  /// that is killed in between never leaves a partial store.
  static func create(_ path: String) throws(StoreProblem) {
    guard isEmpty(path) else { return }
    let folder = folder(of: path)
    if mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw .unusable(path: path, cause: "its folder cannot be made: \(SystemError.reason(errno))")
    }
    let lock = try creationLock(path)
    defer { withExtendedLifetime(lock) {} }
    guard isEmpty(path) else { return }
    guard StoreRecord.isLogEmpty(of: path) else { throw lostFile(path) }
    let fresh = path + ".new"
    func clean() { for end in ["", "-journal", "-wal", "-shm"] { unlink(fresh + end) } }
    clean()
    do throws(StoreProblem) {
      try createTables(fresh, sharesMemory: flow_is_network_folder(folder) != 1)
    } catch {
      clean()
      guard case .unusable(_, let cause) = error else { throw error }
      throw .unusable(path: path, cause: cause)
    }
    for end in ["-wal", "-shm"] { unlink(path + end) }
    guard rename(fresh, path) == 0 else { throw .unusable(path: path, cause: SystemError.reason(errno)) }
    // The first write to a log is flushed. It is made here without waiting for the disk, so that no short run waits for
    // it.
    try SQLiteConnection(path, readOnly: false).execute(
      "PRAGMA synchronous = OFF; PRAGMA user_version = \(version)")
    let recordFile = StoreRecord.open(lockPath(path), readOnly: false)
    StoreRecord(stamps: StoreStamps(of: path), node: FileIdentity(path)?.number ?? 0).write(to: recordFile)
  }

  /// Creates a file with the tables, which only its owner can read. It is not flushed here, because the first durable
  /// run does that.
  private static func createTables(_ path: String, sharesMemory: Bool) throws(StoreProblem) {
    do {
      let file = Descriptor(FlowPlatform.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
      guard file.number >= 0 else { throw StoreProblem.unusable(path: path, cause: SystemError.reason(errno)) }
    }
    let connection = try SQLiteConnection(path, readOnly: false)
    try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 4096")
    try connection.transaction { () throws(StoreProblem) in
      try connection.execute(statements.joined(separator: ";"))
      try connection.execute("PRAGMA user_version = \(version); PRAGMA application_id = \(applicationID)")
    }
    // Processes share a log through memory, so all of them must be on one machine.
    if sharesMemory { try connection.execute("PRAGMA journal_mode = WAL") }
  }

  static func folder(of path: String) -> String { FilePath.folder(of: path) }

  /// Acquires the lock for creating tables, which is byte 0 of the lock file. Waits for at most 5 s.
  private static func creationLock(_ path: String) throws(StoreProblem) -> RunLock {
    for _ in 0..<5000 {
      do throws(SystemError) {
        if let lock = try RunLock.take(lockPath(path), byte: 0) { return lock }
      } catch {
        throw .unusable(path: path, cause: error.description)
      }
      usleep(1000)
    }
    throw .unusable(path: path, cause: "another process has been making it for 5 s")
  }

  /// The path of the lock file, in which each run has a byte.
  static func lockPath(_ path: String) -> String { path + ".lock" }

  /// Renames a damaged store within its folder and returns the new path. Returns nil if the file at the path no longer
  /// has the given identity, because another process has already renamed it.
  package static func moveAside(
    _ path: String, _ identity: FileIdentity?, atSeconds now: Int
  ) throws(StoreProblem) -> String? {
    let lock = try creationLock(path)
    defer { withExtendedLifetime(lock) {} }
    guard FileIdentity(path) == identity else { return nil }
    var target = "\(path).damaged-\(now)"
    var number = 1
    while access(target, F_OK) == 0 || access(target + "-wal", F_OK) == 0 {
      number += 1
      target = "\(path).damaged-\(now)-\(number)"
    }
    // The file is renamed before the log. A log without its file is recognized as damaged, but a file without its log
    // could be mistaken for an intact store.
    guard rename(path, target) == 0 || errno == ENOENT else {
      throw .unusable(path: path, cause: "it is damaged and cannot be moved aside: \(SystemError.reason(errno))")
    }
    guard rename(path + "-wal", target + "-wal") == 0 || errno == ENOENT else {
      throw .unusable(path: path, cause: "its log is damaged and cannot be moved aside: \(SystemError.reason(errno))")
    }
    unlink(path + "-shm")
    let recordFile = StoreRecord.open(lockPath(path), readOnly: false)
    StoreRecord().write(to: recordFile)
    return target
  }
}

extension SQLiteConnection {
  /// The format of the stored data, or 0 if the file contains none.
  var version: Int {
    get throws(StoreProblem) {
      try integer("PRAGMA user_version")
    }
  }

  /// Returns the number in the result of a statement, or 0 if the result is empty.
  func integer(_ text: String) throws(StoreProblem) -> Int {
    var number = 0
    try run(text) { row throws(StoreProblem) in number = row.integer(0) }
    return number
  }
}
