import FlowStore
import FlowSystem
import Synchronization

/// Runs in an SQLite file: by default `.flowrun/runs.sqlite` beside the workflow, for all workflows of the folder.
///
/// A chunk is one row, whose key is the run's number and the chunk's. A run is held by a lock on a byte of the file beside,
/// for as long as its process lives; its epoch fences whoever lost it. Each row has a checksum over all its columns.
public final class SQLiteRunStore: RunStore {
  /// The file.
  public let path: String
  private let connection: Mutex<SQLiteConnection>

  /// How long the log may get while a run goes on: pages of 4 KiB.
  private static let logPages = 1000
  /// How long it may be behind a run. Whoever opens the store next reads it whole, at two microseconds a page; copying it
  /// waits for the disk, and is worth it for some twenty short runs at once.
  private static let idleLogPages = 96
  /// A run of so many bytes fills the log by itself; it is copied behind some of them together, or behind the next short one.
  private static let longRunBytes = idleLogPages << 11

  /// Opens the store in the file at an absolute path, made where it is missing unless it is only to be read.
  public init(_ path: String, readOnly: Bool = false) throws(StoreProblem) {
    self.path = path
    connection = Mutex(try Self.open(path, readOnly: readOnly))
  }

  /// Reads the tables and makes the statements that ``keep(_:definition:chunks:)`` needs, before it is called. What goes wrong
  /// is found again there.
  public func prepareToKeep() {
    try? withConnection { connection throws(StoreProblem) in
      try connection.wait(forDisk: false)
      try connection.prepare(Self.keepingStatements)
    }
  }

  /// Has the disk give the log its place beforehand, as durable runs want it: a log that grows costs two flushes a write.
  public func growLog() {
    let file = Descriptor(FlowSystem.open(path + "-wal", O_RDWR | O_CLOEXEC))
    guard file.number >= 0 else { return }
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_size < Self.logPages << 12 else { return }
    // Zeros end a log for its readers, whatever stood before.
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    let size = status.st_size
    var offset = Int(size)
    while offset < Self.logPages << 12 {
      let count = zeros.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, off_t(offset)) }
      guard count > 0 else {
        // What is left of a disk that is nearly full is not for zeros.
        ftruncate(file.number, size)
        return
      }
      offset += count
    }
    fsync(file.number)
  }

  func withConnection<Result: Sendable>(
    _ body: (SQLiteConnection) throws(StoreProblem) -> Result
  ) throws(StoreProblem) -> Result {
    try connection.withLock { connection throws(StoreProblem) in try body(connection) }
  }

  // MARK: Writing

  /// Begins a run.
  public func create(
    _ run: StoredRun, definition: [UInt8], chunks: [[UInt8]], isDurable: Bool
  ) throws(StoreProblem) -> any RunLease {
    try withConnection { connection throws(StoreProblem) in
      try connection.wait(forDisk: isDurable)
      let lease = try connection.transaction { () throws(StoreProblem) in
        let row = try insert(run, definition, chunkCount: chunks.count, isDurable: isDurable, connection)
        for (index, chunk) in chunks.enumerated() { try add(chunk, row.number, index, run.epoch, connection) }
        guard let lock = try lock(row.number) else { throw .held(run: run.id, by: run.holder) }
        return SQLiteLease(run: run.id, epoch: run.epoch, number: row.number, next: chunks.count, lock: lock)
      }
      connection.shortenLog(over: Self.logPages)
      return lease
    }
  }

  /// Keeps a run that is over.
  public func keep(_ run: StoredRun, definition: [UInt8], chunks: [[UInt8]]) throws(StoreProblem) {
    try withConnection { connection throws(StoreProblem) in
      try connection.wait(forDisk: false)
      try connection.transaction { () throws(StoreProblem) in
        let row = try insert(run, definition, chunkCount: chunks.count, isDurable: false, connection)
        for (index, chunk) in chunks.enumerated() { try add(chunk, row.number, index, run.epoch, connection) }
      }
      let isLong = chunks.reduce(0) { $0 + $1.count } >= Self.longRunBytes
      connection.shortenLog(over: isLong ? Self.logPages : Self.idleLogPages)
    }
  }

  /// Adds a chunk to a run.
  public func append(_ chunk: [UInt8], to lease: any RunLease, isDurable: Bool) throws(StoreProblem) {
    let lease = try own(lease)
    try withConnection { connection throws(StoreProblem) in
      try connection.wait(forDisk: isDurable)
      try add(chunk, lease.number, lease.next.load(ordering: .relaxed), lease.epoch, connection)
      guard connection.changes == 1 else { throw .fenced(run: lease.run) }
      lease.next.add(1, ordering: .relaxed)
      connection.shortenLog(over: Self.logPages)
    }
  }

  /// Writes the end of a run.
  public func finish(_ lease: any RunLease, state: StoredRun.State, summary: [UInt8]) throws(StoreProblem) {
    let lease = try own(lease)
    try withConnection { connection throws(StoreProblem) in
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

  /// Takes a run that nobody runs.
  public func take(
    _ run: String, at position: RunPosition, by holder: RunHolder
  ) throws(StoreProblem) -> any RunLease {
    try withConnection { connection throws(StoreProblem) in
      try connection.transaction { () throws(StoreProblem) in
        guard var row = try self.row(run, connection) else { throw .unknown(run: run) }
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

  /// Gives back a run that was taken.
  public func giveBack(_ lease: any RunLease, as run: StoredRun) throws(StoreProblem) {
    let lease = try own(lease)
    try withConnection { connection throws(StoreProblem) in
      try connection.transaction { () throws(StoreProblem) in
        var row = try heldRow(lease, connection)
        row.run = run
        // That its process is gone is seen from the lock.
        if run.state == .interrupted { row.run.state = .running }
        try update(row, connection)
      }
      lease.release()
    }
  }

  /// Resumes a run that was taken.
  public func resume(
    _ lease: any RunLease, as definition: [UInt8], chunks: [[UInt8]]
  ) throws(StoreProblem) {
    let lease = try own(lease)
    try withConnection { connection throws(StoreProblem) in
      try connection.wait(forDisk: true)
      let first = lease.next.load(ordering: .relaxed)
      try connection.transaction { () throws(StoreProblem) in
        var row = try heldRow(lease, connection)
        row.definition = try self.definition(definition, connection)
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

  /// The chunks of a run, in order.
  public func chunks(of run: String) throws(StoreProblem) -> [[UInt8]] {
    try withConnection { connection throws(StoreProblem) in
      guard let row = try self.row(run, connection) else { throw .unknown(run: run) }
      var chunks: [[UInt8]] = []
      try connection.run(
        "SELECT key, epoch, body, checksum FROM chunk WHERE key BETWEEN ? AND ? ORDER BY key", Self.keys(of: row.number)
      ) { result throws(StoreProblem) in
        let (key, epoch, body) = (result.integer(0), result.integer(1), result.bytes(2))
        guard Self.checksum(key, epoch, body) == result.integer(3), key == row.number << 32 | chunks.count else {
          throw .damaged(
            path: path, cause: "part \(chunks.count + 1) of the journal of run \(run) is not what was written")
        }
        chunks.append(body)
      }
      guard chunks.count >= row.chunkCount else {
        throw .damaged(path: path, cause: "the end of the journal of run \(run) is missing")
      }
      return chunks
    }
  }

  /// How many bytes the journals and summaries of the runs have.
  public func sizes() throws(StoreProblem) -> [String: Int] {
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

  /// What a run was last begun as.
  public func definition(of run: String) throws(StoreProblem) -> [UInt8] {
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
        throw .damaged(path: path, cause: "the workflow that run \(run) ran is not what was written")
      }
      return found
    }
  }

  // MARK: Asking

  /// Asks something of a run.
  public func ask(_ run: String, _ request: [UInt8]) throws(StoreProblem) -> Int {
    try withConnection { connection throws(StoreProblem) in
      try connection.transaction { () throws(StoreProblem) in
        guard let row = try self.row(run, connection) else { throw .unknown(run: run) }
        try connection.run(
          "INSERT INTO request(run, body, checksum) VALUES(?, ?, ?)",
          [.integer(row.number), .bytes(request), .integer(Int(Checksum.of(request)))])
        return connection.lastNumber
      }
    }
  }

  /// What has been asked of a run.
  public func requests(of lease: any RunLease) throws(StoreProblem) -> [RunRequestEntry] {
    let lease = try own(lease)
    return try withConnection { connection throws(StoreProblem) in
      var requests: [RunRequestEntry] = []
      try connection.run(
        "SELECT number, body, checksum FROM request WHERE run = ? AND answer IS NULL ORDER BY number",
        [.integer(lease.number)]
      ) { row throws(StoreProblem) in
        let body = row.bytes(1)
        guard Int(Checksum.of(body)) == row.integer(2) else { return }
        requests.append(RunRequestEntry(number: row.integer(0), body: body))
      }
      return requests
    }
  }

  /// Answers a request.
  public func answer(_ request: Int, with answer: [UInt8]) throws(StoreProblem) {
    try withConnection { connection throws(StoreProblem) in
      try connection.run("UPDATE request SET answer = ? WHERE number = ?", [.bytes(answer), .integer(request)])
    }
  }

  /// The answer to a request; nil: none yet.
  public func answer(to request: Int) throws(StoreProblem) -> [UInt8]? {
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

/// A run that this process holds.
final class SQLiteLease: RunLease {
  let run: String
  let epoch: Int
  let number: Int
  /// How many chunks there are.
  let next: Atomic<Int>
  private let lock: Mutex<RunLock?>

  init(run: String, epoch: Int, number: Int, next: Int, lock: RunLock) {
    self.run = run
    self.epoch = epoch
    self.number = number
    self.next = Atomic(next)
    self.lock = Mutex(lock)
  }

  /// Lets the run go.
  func release() { lock.withLock { $0 = nil } }
}
