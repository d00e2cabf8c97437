import FlowStore
import FlowPlatform

// This file reads and writes rows, and computes their checksums.
extension SQLiteRunStore {
  /// A row of the table `run`.
  struct Row {
    var number: Int
    var definition: Int
    /// The number of chunks when the run was last taken over or released, so there are at least this many.
    var chunkCount: Int
    var run: StoredRun
  }

  static let columns = """
    number, id, workflow, file, definition, started, state, epoch, process, host, header, summary, chunks, checksum
    """

  static let selectLastNumber = "SELECT seq FROM sqlite_sequence WHERE name = 'run'"
  private static let insertRun = """
    INSERT INTO run(id, workflow, file, definition, started, state, epoch, process, host, header, summary, chunks,
    checksum, number) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  private static let insertChunk =
    "INSERT INTO chunk(key, epoch, body, checksum) SELECT ?, ?, ?, ? FROM run WHERE number = ? AND epoch = ?"
  private static let selectDefinition = "SELECT number FROM definition WHERE checksum = ? AND length = ?"

  /// The statements that record a finished run.
  static let keepingStatements = [
    SQLiteConnection.begin, selectLastNumber, selectDefinition, insertRun, insertChunk, SQLiteConnection.commit,
  ]

  private static let longDefinitionBytes = 1 << 18

  /// Returns the range of keys of a run's chunks, without the first `first` ones.
  static func keys(of number: Int, from first: Int = 0) -> [SQLiteValue] {
    [.integer(number << 32 | min(first, 0xFFFF_FFFF)), .integer(number << 32 | 0xFFFF_FFFF)]
  }

  /// Returns the row of a run, or nil if the run does not exist.
  func row(_ id: String, _ connection: SQLiteConnection) throws(StoreProblem) -> Row? {
    func read() throws(StoreProblem) -> Row? {
      var found: Row?
      try connection.run("SELECT \(Self.columns) FROM run WHERE id = ?", [.text(id)]) { row throws(StoreProblem) in
        found = try stored(row)
      }
      return found
    }
    var found = try read()
    // If a run ends after its row was read, it releases its lock before the lock is checked. A second read then returns
    // its final state.
    while let known = found?.run, known.state == .interrupted {
      found = try read()
      if found?.run == known { break }
    }
    return found
  }

  /// Reads a run from its row. If the row has the state `running` and no process has the run's lock, the run is
  /// interrupted.
  func stored(_ row: borrowing SQLiteRow) throws(StoreProblem) -> Row {
    let number = row.integer(0)
    let run = StoredRun(
      id: row.text(1), workflow: row.text(2), file: row.text(3), startedMilliseconds: row.integer(5),
      state: StoredRun.State(rawValue: row.text(6)) ?? .interrupted, epoch: row.integer(7),
      holder: RunHolder(process: row.integer(8), host: row.text(9)), header: row.bytes(10), summary: row.bytes(11))
    var found = Row(number: number, definition: row.integer(4), chunkCount: row.integer(12), run: run)
    guard Self.checksum(found, state: row.text(6)) == row.integer(13) else {
      throw .damaged(path: path, cause: "its record of run \(run.id) is damaged")
    }
    if run.state == .running, !RunLock.isHeld(Self.lockPath(path), byte: number) { found.run.state = .interrupted }
    return found
  }

  /// Returns a number higher than all numbers ever used, together with its lock. Numbers whose lock is taken are
  /// skipped, because they belong to runs of a store that was moved aside.
  func freeNumber(_ connection: SQLiteConnection) throws(StoreProblem) -> (number: Int, lock: RunLock) {
    var number = try connection.integer(Self.selectLastNumber) + 1
    while true {
      if let lock = try lock(number) { return (number, lock) }
      number += 1
    }
  }

  /// Inserts a row for a run, and returns the row.
  func insert(
    _ run: StoredRun, _ definition: [UInt8], number: Int, chunkCount: Int, isDurable: Bool,
    _ connection: SQLiteConnection
  ) throws(StoreProblem) -> Row {
    let definition = try self.definition(definition, isDurable: isDurable, connection)
    let row = Row(number: number, definition: definition, chunkCount: chunkCount, run: run)
    try connection.run(Self.insertRun, Self.values(row))
    return row
  }

  func update(_ row: Row, _ connection: SQLiteConnection) throws(StoreProblem) {
    try connection.run(
      """
      UPDATE run SET id = ?, workflow = ?, file = ?, definition = ?, started = ?, state = ?, epoch = ?, process = ?,
      host = ?, header = ?, summary = ?, chunks = ?, checksum = ? WHERE number = ?
      """, Self.values(row))
  }

  private static func values(_ row: Row) -> [SQLiteValue] {
    let run = row.run
    return [
      .text(run.id), .text(run.workflow), .text(run.file), .integer(row.definition), .integer(run.startedMilliseconds),
      .text(run.state.rawValue), .integer(run.epoch), .integer(run.holder.process), .text(run.holder.host),
      .bytes(run.header), .bytes(run.summary), .integer(row.chunkCount),
      .integer(checksum(row, state: run.state.rawValue)), .integer(row.number),
    ]
  }

  /// Returns the number of a definition. The definition is added if it is new or its stored copy is damaged. If it is
  /// long and need not be durable, an equal fingerprint is sufficient: damage would only prevent a resume, and a
  /// comparison would take longer than writing the run.
  func definition(
    _ bytes: [UInt8], isDurable: Bool = true, _ connection: SQLiteConnection
  ) throws(StoreProblem) -> Int {
    let fingerprint = Fingerprint.of(bytes)
    let isRead = isDurable || bytes.count < Self.longDefinitionBytes
    var number: Int?
    try connection.run(
      Self.selectDefinition, [.integer(fingerprint), .integer(bytes.count)]
    ) { row throws(StoreProblem) in
      guard number == nil else { return }
      let isIntact = isRead ? try connection.holds(bytes, in: "bytes", of: "definition", row: row.integer(0)) : true
      if isIntact { number = row.integer(0) }
    }
    if let number { return number }
    try connection.run(
      "INSERT INTO definition(checksum, length, bytes) VALUES(?, ?, ?)",
      [.integer(fingerprint), .integer(bytes.count), .bytes(bytes)])
    return connection.lastNumber
  }

  /// True if a definition matches its stored fingerprint. In format 1, that was a checksum of 32 bits.
  static func isIntact(_ definition: [UInt8], _ noted: Int) -> Bool {
    noted == (noted >> 32 == 0 ? Int(Checksum.of(definition)) : Fingerprint.of(definition))
  }

  /// Adds a chunk if the epoch of the run is still the given one.
  func add(
    _ chunk: [UInt8], _ number: Int, _ index: Int, _ epoch: Int, _ connection: SQLiteConnection
  ) throws(StoreProblem) {
    let key = number << 32 | index
    try connection.run(
      Self.insertChunk,
      [
        .integer(key), .integer(epoch), .bytes(chunk), .integer(Self.checksum(key, epoch, chunk)), .integer(number),
        .integer(epoch),
      ])
  }

  static func checksum(_ key: Int, _ epoch: Int, _ body: [UInt8]) -> Int {
    Int(Checksum.of(body, behind: Checksum.of(epoch, behind: Checksum.of(key))))
  }

  private static func checksum(_ row: Row, state: String) -> Int {
    let run = row.run
    var checksum = Checksum.of(row.definition)
    for number in [row.number, row.chunkCount, run.startedMilliseconds, run.epoch, run.holder.process] {
      checksum = Checksum.of(number, behind: checksum)
    }
    for text in [run.id, run.workflow, run.file, state, run.holder.host] {
      checksum = Checksum.of(text.utf8.count, behind: checksum)
      checksum = Checksum.of(text, behind: checksum)
    }
    checksum = Checksum.of(run.header, behind: checksum)
    return Int(Checksum.of(run.summary, behind: checksum))
  }

  /// Locks a run. Returns nil if another process has locked it.
  func lock(_ number: Int) throws(StoreProblem) -> RunLock? {
    do throws(SystemError) {
      return try RunLock.take(Self.lockPath(path), byte: number)
    } catch {
      throw .unusable(path: path, cause: error.description)
    }
  }
}
