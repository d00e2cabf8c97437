import CFlowStore
import FlowStore
import FlowPlatform
import Synchronization

/// Stores runs in an SQLite file. By default, this is `.flowrun/runs.sqlite` next to the workflow, for all workflows in
/// the folder.
///
/// A chunk is a row whose key consists of the numbers of the run and the chunk. A process has a run through a lock on a
/// byte of the lock file next to the store. A process that has lost its run is fenced by the run's epoch. Each row has
/// a checksum of all its columns.
package final class SQLiteRunStore: FileRunStore {
  package let path: String
  /// The folder of the workflows whose runs are recorded, or nil to use the recorded paths.
  let folder: String?
  /// The identity of the file, or nil if it is unknown.
  package let identity: FileIdentity?
  private let connection: Mutex<SQLiteConnection>
  /// The file that contains the store's ``StoreRecord``.
  private let recordFile: Descriptor
  /// True if the file is on a network file system.
  private let isOnNetwork: Bool
  /// The damage to the file, or nil if none is known.
  let flaw: String?
  /// The identities of the store's files when they were opened.
  private let files: StoreFiles

  /// The maximum length of the log while a run continues, in pages of 4 KiB.
  private static let logPages = 1000
  /// The maximum length of the log after a run, in pages. The next process that opens the store reads the whole log,
  /// which takes two microseconds per page. Copying the log waits for the disk, which pays off after about twenty short
  /// runs.
  private static let idleLogPages = 96
  /// The minimum size in bytes of a run that fills the log by itself. After such a run, the log is copied only if it
  /// exceeds ``logPages``.
  private static let longRunBytes = idleLogPages << 11

  /// Opens the store in the file at an absolute path. Unless `readOnly` is true, a missing file is created.
  ///
  /// - Parameter folder: The absolute path of the folder that contains all workflows of the store, or nil. Recorded
  ///   files are looked up in it by name, so that a store can be moved together with its folder.
  package convenience init(_ path: String, readOnly: Bool = false, folder: String? = nil) throws(StoreProblem) {
    try self.init(
      path, readOnly: readOnly, folder: folder, isOnNetwork: flow_is_network_folder(Self.folder(of: path)) == 1)
  }

  /// Opens the store in the same way as ``init(_:readOnly:folder:)``. `isOnNetwork` is true if the file is on a network
  /// file system.
  package init(
    _ path: String, readOnly: Bool = false, folder: String? = nil, isOnNetwork: Bool
  ) throws(StoreProblem) {
    self.isOnNetwork = isOnNetwork
    self.folder = folder
    if !readOnly { try Self.create(path) }
    self.path = path
    identity = FileIdentity(path)
    recordFile = StoreRecord.open(Self.lockPath(path), readOnly: readOnly)
    Self.enter(recordFile)
    var flaw: String?
    connection = Mutex(try Self.open(path, readOnly: readOnly, recordFile, flaw: &flaw))
    self.flaw = flaw
    files = StoreFiles(of: path)
  }

  /// The folder next to the file that contains output lines that have not been recorded.
  package var liveFolder: String? { path + "-live" }

  deinit { close() }

  /// Releases the store before the process ends, unless a thread is using it. The store cannot be used afterwards.
  package func close() {
    guard flaw == nil, !isOnNetwork, StoreFiles(of: path) == files else { return }
    connection.withLockIfAvailable { Self.leave(path, recordFile, $0) }
  }

  /// Reads the tables and prepares the statements of ``keep(_:definition:chunks:)``. Errors are ignored here, because
  /// that method throws them again.
  package func prepareToKeep() {
    try? withConnection { connection throws(StoreProblem) in
      try connection.wait(forDisk: false)
      try connection.prepare(Self.keepingStatements)
    }
  }

  /// Flushes all files of the store in this order: the main file, the log and their folder entries. Runs that were not
  /// durable may have created them without flushing. Every connection does this before its first durable write, and a
  /// durable run calls it before its first step.
  package func prepareForDurable() throws(StoreProblem) {
    try withConnection { connection throws(StoreProblem) in try prepareForDurable(connection) }
  }

  private func prepareForDurable(_ connection: SQLiteConnection) throws(StoreProblem) {
    guard !connection.isOnDisk else { return }
    try connection.wait(forDisk: true)
    let log = Descriptor(FlowPlatform.open(path + "-wal", O_RDWR | O_CLOEXEC))
    // No other process may write during this, because `grow` would overwrite appended data.
    if log.number >= 0 { try connection.transaction { () throws(StoreProblem) in Self.grow(log) } }
    try connection.syncFile()
    if log.number >= 0 { try sync(log) }
    let folder = Self.folder(of: path)
    for folder in [folder, folder + "/.."] {
      let file = Descriptor(FlowPlatform.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
      // A folder without read permission cannot be flushed, so skip it.
      guard file.number >= 0 else { continue }
      try sync(file)
    }
    connection.isOnDisk = true
  }

  private func sync(_ file: borrowing Descriptor) throws(StoreProblem) {
    // Some network file systems cannot flush folders.
    guard fsync(file.number) == 0 || errno == EINVAL else {
      throw .unusable(path: path, cause: "the disk does not take it: \(SystemError.reason(errno))")
    }
  }

  /// Allocates the log on disk in advance, because each write to a log that grows costs two flushes.
  private static func grow(_ log: borrowing Descriptor) {
    var status = stat()
    guard fstat(log.number, &status) == 0, status.st_size < logPages << 12 else { return }
    // Readers treat zeros as the end of the log, whatever was there before.
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    let size = status.st_size
    var offset = Int(size)
    while offset < logPages << 12 {
      let count = zeros.withUnsafeBytes { pwrite(log.number, $0.baseAddress, $0.count, off_t(offset)) }
      guard count > 0 else {
        // On a disk that is nearly full, the remaining space is left to the data.
        ftruncate(log.number, size)
        return
      }
      offset += count
    }
  }

  func withConnection<Result: Sendable>(
    _ body: (SQLiteConnection) throws(StoreProblem) -> Result
  ) throws(StoreProblem) -> Result {
    try connection.withLock { connection throws(StoreProblem) in try body(connection) }
  }

  /// Changes the store and records the state of its files. If `isDurable` is nil, the change waits for the disk if the
  /// last change did.
  func change<Result: Sendable>(
    isDurable: Bool? = nil, _ body: (SQLiteConnection) throws(StoreProblem) -> Result
  ) throws(StoreProblem) -> Result {
    try withConnection { connection throws(StoreProblem) in
      if isDurable == true { try prepareForDurable(connection) }
      if let isDurable { try connection.wait(forDisk: isDurable) }
      let isIntact = StoreRecord.read(recordFile).stamps == StoreStamps(of: path)
      let result = try body(connection)
      recordState(connection, isIntact: isIntact)
      // If an open file has been removed or replaced, the change is lost.
      guard StoreFiles(of: path) == files else {
        throw .unusable(path: path, cause: "a file of it was removed, moved or replaced while it was open")
      }
      return result
    }
  }

  /// Records the state of the files after a change, if they were intact before it, and how much of the log is on disk.
  private func recordState(_ connection: SQLiteConnection, isIntact: Bool) {
    // The stamps are read before the record, as they are when the store is opened.
    let stamps = StoreStamps(of: path)
    let known = StoreRecord.read(recordFile)
    var record = known
    if isIntact {
      record.stamps = stamps
      record.node = identity?.number ?? 0
    }
    let frames = UInt32(connection.logFrames)
    if connection.waitsForDisk, frames > 0 {
      let log = Descriptor(FlowPlatform.open(path + "-wal", O_RDONLY | O_CLOEXEC))
      let salt = flow_log_frame_salt(log.number, frames)
      if salt != 0, salt != record.durableSalt || frames > record.durableFrames {
        (record.durableSalt, record.durableFrames) = (salt, frames)
      }
    }
    // The log is restarted only after all of it has been copied into the main file.
    if connection.hasRestartedLog {
      connection.hasRestartedLog = false
      if record.durableSalt == known.durableSalt { record.noteLogReplaced() }
    }
    if record != known { record.write(to: recordFile) }
  }

  /// Causes a complete check of the store when it is opened the next time.
  func forgetStamps() {
    var record = StoreRecord.read(recordFile)
    record.stamps = StoreStamps()
    record.write(to: recordFile)
  }

  /// Throws if the main file is damaged, because data added to it could be lost.
  func checkWhole() throws(StoreProblem) {
    if let flaw { throw .damaged(path: path, cause: flaw) }
  }

  // MARK: Writing

  package func create(
    _ run: StoredRun, definition: [UInt8], chunks: [[UInt8]], isDurable: Bool
  ) throws(StoreProblem) -> any RunLease {
    try checkWhole()
    return try change(isDurable: isDurable) { connection throws(StoreProblem) in
      let lease = try connection.transaction { () throws(StoreProblem) in
        let (number, lock) = try freeNumber(connection)
        let row = try insert(
          run, definition, number: number, chunkCount: chunks.count, isDurable: isDurable, connection)
        for (index, chunk) in chunks.enumerated() { try add(chunk, row.number, index, run.epoch, connection) }
        return SQLiteLease(run: run.id, epoch: run.epoch, number: row.number, next: chunks.count, lock: lock)
      }
      connection.shortenLog(over: Self.logPages)
      return lease
    }
  }

  package func keep(_ run: StoredRun, definition: [UInt8], chunks: [[UInt8]]) throws(StoreProblem) {
    try checkWhole()
    try change(isDurable: false) { connection throws(StoreProblem) in
      try connection.transaction { () throws(StoreProblem) in
        let number = try connection.integer(Self.selectLastNumber) + 1
        let row = try insert(
          run, definition, number: number, chunkCount: chunks.count, isDurable: false, connection)
        for (index, chunk) in chunks.enumerated() { try add(chunk, row.number, index, run.epoch, connection) }
      }
      let isLong = chunks.reduce(0) { $0 + $1.count } >= Self.longRunBytes
      connection.shortenLog(over: isLong ? Self.logPages : Self.idleLogPages)
    }
  }

  package func append(_ chunk: [UInt8], to lease: any RunLease, isDurable: Bool) throws(StoreProblem) {
    let lease = try own(lease)
    try change(isDurable: isDurable) { connection throws(StoreProblem) in
      try add(chunk, lease.number, lease.next.load(ordering: .relaxed), lease.epoch, connection)
      guard connection.changes == 1 else { throw .fenced(run: lease.run) }
      lease.next.add(1, ordering: .relaxed)
      connection.shortenLog(over: Self.logPages)
    }
  }

  package func finish(_ lease: any RunLease, state: StoredRun.State, summary: [UInt8]) throws(StoreProblem) {
    let lease = try own(lease)
    try change { connection throws(StoreProblem) in
      try connection.transaction { () throws(StoreProblem) in
        var row = try heldRow(lease, connection)
        row.run.state = state
        row.run.summary = summary
        row.chunkCount = lease.next.load(ordering: .relaxed)
        try update(row, connection)
        try connection.run("DELETE FROM request WHERE run = ? AND answer IS NULL", [.integer(row.number)])
      }
      lease.release()
      connection.shortenLog(over: Self.logPages)
    }
  }

  package func take(
    _ run: String, at position: RunPosition, by holder: RunHolder
  ) throws(StoreProblem) -> any RunLease {
    // If the end of the journal were missing, finished steps would run again.
    try checkWhole()
    return try change { connection throws(StoreProblem) in
      try connection.transaction { () throws(StoreProblem) in
        guard var row = try self.row(run, connection) else { throw .unknown(run: run) }
        guard !isOnNetwork || row.run.holder.host == holder.host else {
          throw .elsewhere(run: run, on: row.run.holder.host)
        }
        guard let lock = try lock(row.number) else { throw .held(run: run, by: row.run.holder) }
        var next = 0
        try connection.run(
          "SELECT count(*) FROM chunk WHERE key BETWEEN ? AND ?", Self.keys(of: row.number)
        ) { result throws(StoreProblem) in next = result.integer(0) }
        guard position == RunPosition(epoch: row.run.epoch, chunkCount: next) else { throw .moved(run: run) }
        row.run.epoch += 1
        row.run.holder = holder
        row.run.state = .running
        row.chunkCount = next
        try update(row, connection)
        return SQLiteLease(run: run, epoch: row.run.epoch, number: row.number, next: next, lock: lock)
      }
    }
  }

  package func giveBack(_ lease: any RunLease, as run: StoredRun) throws(StoreProblem) {
    let lease = try own(lease)
    try change { connection throws(StoreProblem) in
      try connection.transaction { () throws(StoreProblem) in
        var row = try heldRow(lease, connection)
        let file = row.run.file
        row.run = run
        row.run.file = file
        // The lock is free, which shows that the process has ended.
        if run.state == .interrupted { row.run.state = .running }
        try update(row, connection)
      }
      lease.release()
    }
  }

  package func resume(
    _ lease: any RunLease, as definition: [UInt8], chunks: [[UInt8]]
  ) throws(StoreProblem) {
    let lease = try own(lease)
    try change(isDurable: true) { connection throws(StoreProblem) in
      let first = lease.next.load(ordering: .relaxed)
      try connection.transaction { () throws(StoreProblem) in
        var row = try heldRow(lease, connection)
        row.definition = try self.definition(definition, connection)
        // The journal begins again here, so its paths are those of the current folder.
        row.run.file = placed(row.run).file
        row.chunkCount = first + chunks.count
        try update(row, connection)
        for (index, chunk) in chunks.enumerated() { try add(chunk, row.number, first + index, lease.epoch, connection) }
      }
      lease.next.store(first + chunks.count, ordering: .relaxed)
      connection.shortenLog(over: Self.logPages)
    }
  }

  private func heldRow(_ lease: SQLiteLease, _ connection: SQLiteConnection) throws(StoreProblem) -> Row {
    guard let row = try row(lease.run, connection), row.run.epoch == lease.epoch else { throw .fenced(run: lease.run) }
    return row
  }

  // MARK: Reading

  package func chunks(of run: String, from first: Int) throws(StoreProblem) -> [[UInt8]] {
    try withConnection { connection throws(StoreProblem) in
      guard let row = try self.row(run, connection) else { throw .unknown(run: run) }
      var chunks: [[UInt8]] = []
      try connection.run(
        "SELECT key, epoch, body, checksum FROM chunk WHERE key BETWEEN ? AND ? ORDER BY key",
        Self.keys(of: row.number, from: first)
      ) { result throws(StoreProblem) in
        let (key, epoch, body) = (result.integer(0), result.integer(1), result.bytes(2))
        guard Self.checksum(key, epoch, body) == result.integer(3), key == row.number << 32 | first + chunks.count
        else {
          throw .damaged(
            path: path, cause: "part \(first + chunks.count + 1) of the journal of run \(run) is damaged")
        }
        chunks.append(body)
      }
      guard first + chunks.count >= row.chunkCount else {
        throw .damaged(path: path, cause: "the end of the journal of run \(run) is missing")
      }
      return chunks
    }
  }

  package func sizes() throws(StoreProblem) -> [String: Int] {
    try withConnection { connection throws(StoreProblem) in
      var sizes: [String: Int] = [:]
      try connection.run(
        """
        SELECT id, ifnull(length(summary), 0) + ifnull((SELECT sum(length(body)) FROM chunk
        WHERE key BETWEEN number << 32 AND number << 32 | 4294967295), 0) FROM run
        """, []
      ) { row throws(StoreProblem) in sizes[row.text(0)] = row.integer(1) }
      return sizes
    }
  }

  package func definition(of run: String) throws(StoreProblem) -> [UInt8] {
    try withConnection { connection throws(StoreProblem) in
      guard let row = try self.row(run, connection) else { throw .unknown(run: run) }
      var found: [UInt8]?
      try connection.run(
        "SELECT bytes, checksum FROM definition WHERE number = ?", [.integer(row.definition)]
      ) { result throws(StoreProblem) in
        let bytes = result.bytes(0)
        if Self.isIntact(bytes, result.integer(1)) { found = bytes }
      }
      guard let found else {
        throw .damaged(path: path, cause: "the workflow of run \(run) is damaged")
      }
      return found
    }
  }

  // MARK: Asking

  package func ask(_ run: String, _ request: [UInt8]) throws(StoreProblem) -> Int {
    try change { connection throws(StoreProblem) in
      try connection.transaction { () throws(StoreProblem) in
        guard let row = try self.row(run, connection) else { throw .unknown(run: run) }
        try connection.run(
          "INSERT INTO request(run, body, checksum) VALUES(?, ?, ?)",
          [.integer(row.number), .bytes(request), .integer(Int(Checksum.of(request)))])
        return connection.lastNumber
      }
    }
  }

  package func requests(of lease: any RunLease) throws(StoreProblem) -> [RunRequestEntry] {
    let lease = try own(lease)
    return try withConnection { connection throws(StoreProblem) in
      var requests: [RunRequestEntry] = []
      var isHeld = false
      // A run without requests has one row of nulls.
      try connection.run(
        """
        SELECT request.number, body, request.checksum FROM run
        LEFT JOIN request ON request.run = run.number AND answer IS NULL
        WHERE run.number = ? AND epoch = ? ORDER BY request.number
        """,
        [.integer(lease.number), .integer(lease.epoch)]
      ) { row throws(StoreProblem) in
        isHeld = true
        guard !row.isNull(0) else { return }
        let body = row.bytes(1)
        guard Int(Checksum.of(body)) == row.integer(2) else { return }
        requests.append(RunRequestEntry(number: row.integer(0), body: body))
      }
      guard isHeld else { throw .fenced(run: lease.run) }
      return requests
    }
  }

  package func answer(_ request: Int, with answer: [UInt8]) throws(StoreProblem) {
    try change { connection throws(StoreProblem) in
      try connection.run("UPDATE request SET answer = ? WHERE number = ?", [.bytes(answer), .integer(request)])
    }
  }

  package func answer(to request: Int) throws(StoreProblem) -> [UInt8]? {
    try withConnection { connection throws(StoreProblem) in
      var answer: [UInt8]?
      try connection.run(
        "SELECT answer FROM request WHERE number = ? AND answer IS NOT NULL", [.integer(request)]
      ) { row throws(StoreProblem) in answer = row.bytes(0) }
      if answer != nil { try connection.run("DELETE FROM request WHERE number = ?", [.integer(request)]) }
      return answer
    }
  }

  private func own(_ lease: any RunLease) throws(StoreProblem) -> SQLiteLease {
    guard let own = lease as? SQLiteLease else { throw .fenced(run: lease.run) }
    return own
  }
}

/// The lease of a run in an SQLite store. It lasts until it is released or the process ends.
final class SQLiteLease: RunLease {
  let run: String
  let epoch: Int
  let number: Int
  /// The number of chunks in the run's journal.
  let next: Atomic<Int>
  private let lock: Mutex<RunLock?>

  init(run: String, epoch: Int, number: Int, next: Int, lock: RunLock) {
    self.run = run
    self.epoch = epoch
    self.number = number
    self.next = Atomic(next)
    self.lock = Mutex(lock)
  }

  func release() { lock.withLock { $0 = nil } }
}
