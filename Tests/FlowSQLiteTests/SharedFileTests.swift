import FlowSQLite
import FlowPlatform
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct `An SQLite file used by several threads` {
  private let folder: Folder

  init() { folder = Folder() }

  /// Creates a folder, and removes it when the object is freed.
  private final class Folder: Sendable {
    let path: String

    init() {
      var template = Array("/tmp/flowsqlite-XXXXXX".utf8CString)
      path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    }

    deinit {
      for name in FilePath.names(in: path) ?? [] { unlink("\(path)/\(name)") }
      rmdir(path)
    }
  }

  private var file: String { folder.path + "/file.sqlite" }

  private static let endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(n.i) FROM n, t"

  private func pool() throws -> SQLitePool {
    let pool = try SQLitePool(file, readers: 2, busyMilliseconds: 1000)
    try pool.write { try $0.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    return pool
  }

  @Test func `readers see consistent snapshots of an SQLite file while another thread writes`() async throws {
    let pool = try pool()
    let seen = try pool.read { db in
      let before = try db.integer("SELECT count(*) FROM t")
      try pool.write { try $0.run("INSERT INTO t VALUES (2)") }
      // A reader inside another reader uses another connection.
      let other = try pool.read { try $0.integer("SELECT count(*) FROM t") }
      return [before, try db.integer("SELECT count(*) FROM t"), other]
    }
    #expect(seen == [1, 1, 2])
    #expect(throws: SQLiteError.self) { try pool.read { try $0.execute("DELETE FROM t") } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask {
          if number % 4 == 0 { try pool.write { try $0.run("INSERT INTO t VALUES (0)") } }
          #expect(try pool.read { try $0.integer("SELECT count(*) FROM t") } ?? 0 >= 2)
        }
      }
      try await group.waitForAll()
    }
    #expect(try pool.read { try $0.integer("SELECT count(*) FROM t") } == 6)
    pool.close()
    #expect(FilePath.names(in: folder.path) == ["file.sqlite"])
    #expect(throws: SQLiteError.self) { try pool.read { try $0.integer("SELECT 1") } }
    #expect(throws: SQLiteError.self) { try pool.write { try $0.execute("SELECT 1") } }
  }

  @Test func `if a task is cancelled, its transaction is rolled back, and the SQLite file can be used again`()
    async throws
  {
    let pool = try pool()
    pool.close()
    let queue = try SQLiteQueue(file)
    let hasBegun = Atomic(false)
    let endless = Self.endless
    let task = Task {
      try await queue.perform { db in
        try db.transaction {
          try db.run("INSERT INTO t VALUES (2)")
          hasBegun.store(true, ordering: .releasing)
          try db.run(endless)
        }
      }
    }
    while !hasBegun.load(ordering: .acquiring) { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await queue.perform { try $0.integer("SELECT count(*) FROM t") } == 1)
    queue.close()
    await #expect(throws: SQLiteError.self) { try await queue.perform { try $0.integer("SELECT 1") } }
  }

  @Test func `a task that is cancelled before its turn does not change the SQLite file`() async throws {
    let queue = try SQLiteQueue(file, setup: "CREATE TABLE t (a)")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await queue.perform { try $0.run("INSERT INTO t VALUES (1)") }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try queue.sync { try $0.integer("SELECT count(*) FROM t") } == 0)
  }

  @Test func `synchronous writes do not make the log grow without limit`() throws {
    let queue = try SQLiteQueue(file, setup: "PRAGMA journal_mode = WAL; CREATE TABLE t (a)", longestLog: 8)
    for _ in 0..<30 { try queue.sync { try $0.run("INSERT INTO t VALUES (zeroblob(500000))") } }
    var status = stat()
    #expect(stat(file + "-wal", &status) == 0)
    #expect((1...1_300 * 4_200).contains(Int(status.st_size)))
    queue.close()
  }

  @Test func `asynchronous writes are copied from the log to the main file, so the log stays short`() async throws {
    let queue = try SQLiteQueue(file, setup: "PRAGMA journal_mode = WAL; CREATE TABLE t (a)", longestLog: 8)
    for _ in 0..<100 { try await queue.perform { try $0.run("INSERT INTO t VALUES (zeroblob(5000))") } }
    // Waits for the last copy.
    try queue.sync { _ in }
    func size(_ path: String) -> Int {
      var status = stat()
      return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
    // A write has at most six pages here.
    #expect((1...14 * 4200).contains(size(file + "-wal")))
    #expect(size(file) > 90 * 5000)
    queue.close()
  }

  @Test func `a busy error is thrown if another connection writes for longer than the time limit`() throws {
    let holder = try SQLiteConnection(file)
    try holder.execute("CREATE TABLE t (a); BEGIN IMMEDIATE")
    let other = try SQLiteConnection(file, busyMilliseconds: 1)
    let error = #expect(throws: SQLiteError.self) { try other.transaction {} }
    #expect(error?.kind == .busy)
    holder.close()
    try other.transaction { try other.run("INSERT INTO t VALUES (1)") }
  }

  @Test func `a missing file or a folder causes a different error from a file that is not a database`() throws {
    func kind(_ path: String, _ access: SQLiteConnection.Access = .readWrite) -> SQLiteError.Kind? {
      do {
        _ = try SQLiteConnection(path, access).hasTable("t")
        return nil
      } catch {
        return (error as? SQLiteError)?.kind
      }
    }
    #expect(kind(file) == .cannotOpen)
    #expect(kind(folder.path) == .cannotOpen)
    let stray = open(file, O_WRONLY | O_CREAT, 0o600)
    let text = Array(String(repeating: "no database ", count: 100).utf8)
    #expect(write(stray, text, text.count) == text.count)
    close(stray)
    #expect(kind(file) == .notADatabase)
  }

  @Test func `comparing bytes with a stored value detects any difference`() throws {
    let db = try SQLiteConnection(":memory:")
    var bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    try db.execute("CREATE TABLE t (a)")
    try db.run("INSERT INTO t VALUES (?)", [.bytes(bytes)])
    #expect(try db.has(bytes, in: "a", of: "t", row: 1))
    #expect(try !db.has(Array(bytes.dropLast()), in: "a", of: "t", row: 1))
    bytes[150_000] ^= 1
    #expect(try !db.has(bytes, in: "a", of: "t", row: 1))
  }
}
