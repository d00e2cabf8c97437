import FlowPlatform
import FlowStore
import FlowStoreSQLite
import Foundation
import TestSupport
import Testing

/// A store that no process has open, and a store whose files are removed while a process has them open.
struct `The files of a run store` {
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/flowrun-release-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private var path: String { folder + "/.flowrun/runs.sqlite" }
  private func clean() { try? FileManager.default.removeItem(atPath: folder) }

  private func run(_ id: String, _ state: StoredRun.State = .success) -> StoredRun {
    StoredRun(
      id: id, workflow: "w", file: "/w.yaml", startedMilliseconds: 1, state: state, epoch: 1,
      holder: RunHolder(process: 1, host: "here"), header: [])
  }

  private func copy(_ ends: [String], to target: String) throws {
    for end in ends {
      try? FileManager.default.removeItem(atPath: target + end)
      try FileManager.default.copyItem(atPath: path + end, toPath: target + end)
    }
  }

  /// Returns the runs in a copy that contains only the main file.
  private func runsInMainFile() throws -> [String] {
    let target = folder + "/alone.sqlite"
    for end in ["-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: target + end) }
    try copy([""], to: target)
    return try SQLiteRunStore(target).runs(RunFilter()).map(\.id)
  }

  private func isDamaged(_ path: String) throws -> Bool {
    do throws(StoreProblem) {
      return try SQLiteRunStore(path).list(RunFilter()).flaw != nil
    } catch {
      guard case .damaged = error else { throw error }
      return true
    }
  }

  @Test func `a run store has every run in its main file after the last process has closed the store`() throws {
    defer { clean() }
    var first: SQLiteRunStore? = try SQLiteRunStore(path)
    var reader: SQLiteRunStore? = try SQLiteRunStore(path, readOnly: true)
    try first?.keep(run("a"), definition: [1], chunks: [[1], [2]])
    first = nil
    #expect(try runsInMainFile() == [], "another process has it open")
    #expect(try reader?.runs(RunFilter()).map(\.id) == ["a"])
    reader = nil
    #expect(try runsInMainFile() == ["a"])
    try SQLiteRunStore(path).keep(run("b"), definition: [1], chunks: [[3]])
    for end in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + end) }
    let store = try SQLiteRunStore(path)
    #expect(try store.runs(RunFilter()).map(\.id) == ["b", "a"])
    #expect(try store.chunks(of: "b") == [[3]] && store.list(RunFilter()).flaw == nil)
  }

  @Test func `a closed run store has an interrupted durable run in its main file, not only in the log`() throws {
    defer { clean() }
    try {
      let store = try SQLiteRunStore(path)
      let lease = try store.create(run("a", .running), definition: [1], chunks: [[0]], isDurable: true)
      try store.append([1], to: lease, isDurable: true)
    }()
    #expect(try runsInMainFile() == ["a"])
    for end in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + end) }
    #expect(try SQLiteRunStore(path).chunks(of: "a") == [[0], [1]])
    // A normal run and another durable run follow.
    try SQLiteRunStore(path).keep(run("b"), definition: [1], chunks: [])
    #expect(try runsInMainFile() == ["b", "a"])
    try {
      let store = try SQLiteRunStore(path)
      let lease = try store.create(run("c", .running), definition: [1], chunks: [], isDurable: true)
      try store.finish(lease, state: .success, summary: [])
    }()
    #expect(try runsInMainFile() == ["c", "b", "a"])
    #expect(try !isDamaged(path))
  }

  /// The files are in the state after a process was killed or a machine stopped.
  @Test func `a run store is reported as damaged if the log that a durable run flushed is missing`() throws {
    defer { clean() }
    let store = try SQLiteRunStore(path)
    try store.keep(run("a"), definition: [1], chunks: [[1]])
    let lease = try store.create(run("b", .running), definition: [1], chunks: [[0]], isDurable: true)
    let image = folder + "/image.sqlite"
    try copy(["", "-wal", ".lock"], to: image)
    #expect(try !isDamaged(image))
    for end in ["", ".lock"] { try? FileManager.default.removeItem(atPath: image + end) }
    for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: image + end) }
    try copy(["", ".lock"], to: image)
    #expect(try isDamaged(image))
    try Data(count: 40_000).write(to: URL(filePath: image + "-wal"))
    #expect(try isDamaged(image))
    // The log is removed in place, as a cleanup of the folder would do.
    let log = try Data(contentsOf: URL(filePath: path + "-wal"))
    try FileManager.default.removeItem(atPath: path + "-wal")
    #expect(try isDamaged(path))
    withExtendedLifetime((store, lease, log)) {}
  }

  @Test func `a run store is intact after another program has copied the log to the main file`() throws {
    defer { clean() }
    let store = try SQLiteRunStore(path)
    let lease = try store.create(run("a", .running), definition: [1], chunks: [[0]], isDurable: true)
    try ForeignWriter.execute("PRAGMA wal_checkpoint(TRUNCATE)", on: path)
    let other = try SQLiteRunStore(path)
    #expect(try other.chunks(of: "a") == [[0]] && other.list(RunFilter()).flaw == nil)
    try store.append([1], to: lease, isDurable: true)
    #expect(try !isDamaged(path))
  }

  private static let losses: [(name: String, apply: @Sendable (String) throws -> Void)] = [
    ("its folder is removed", { try FileManager.default.removeItem(atPath: $0 + "/.flowrun") }),
    (
      "its folder is moved",
      { try FileManager.default.moveItem(atPath: $0 + "/.flowrun", toPath: $0 + "/moved") }
    ),
    ("its file is removed", { try FileManager.default.removeItem(atPath: $0 + "/.flowrun/runs.sqlite") }),
    (
      "its file is moved",
      { try FileManager.default.moveItem(atPath: $0 + "/.flowrun/runs.sqlite", toPath: $0 + "/old.sqlite") }
    ),
    ("its log is removed", { try FileManager.default.removeItem(atPath: $0 + "/.flowrun/runs.sqlite-wal") }),
    ("its locks are removed", { try FileManager.default.removeItem(atPath: $0 + "/.flowrun/runs.sqlite.lock") }),
    (
      "its file is replaced",
      {
        try FileManager.default.copyItem(atPath: $0 + "/.flowrun/runs.sqlite", toPath: $0 + "/copy.sqlite")
        guard rename($0 + "/copy.sqlite", $0 + "/.flowrun/runs.sqlite") == 0 else { throw POSIXError(.EIO) }
      }
    ),
  ]

  @Test(arguments: 0..<7) func `a store refuses a write after its file was removed, moved or replaced`(number: Int)
    throws
  {
    defer { clean() }
    let store = try SQLiteRunStore(path)
    let lease = try store.create(run("a", .running), definition: [1], chunks: [[0]], isDurable: true)
    let loss = Self.losses[number]
    try loss.apply(folder)
    #expect("\(loss.name)") {
      try store.append([1], to: lease, isDurable: true)
    } throws: {
      guard case .unusable(_, let cause) = $0 as? StoreProblem else { return false }
      return cause.contains("removed, moved or replaced")
    }
    #expect(throws: StoreProblem.self) { try store.finish(lease, state: .success, summary: []) }
    let another = try SQLiteRunStore(folder + "/other.sqlite")
    #expect(throws: Never.self) { try another.keep(run("b"), definition: [1], chunks: []) }
  }

  @Test func `a run store can be backed up during a run, and the backup can be used as a store`() throws {
    defer { clean() }
    let store = try SQLiteRunStore(path)
    try store.keep(run("a"), definition: [1], chunks: [[1]])
    let lease = try store.create(run("b", .running), definition: [2], chunks: [[0]], isDurable: true)
    let backup = folder + "/backup.sqlite"
    try SQLiteRunStore(path, readOnly: true).backUp(to: backup)
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder)) == [".flowrun", "backup.sqlite"])
    var status = stat()
    #expect(stat(backup, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(throws: StoreProblem.self) { try store.backUp(to: backup) }
    try store.append([1], to: lease, isDurable: true)
    let copy = try SQLiteRunStore(backup)
    #expect(try copy.list(RunFilter()).flaw == nil && copy.chunks(of: "b") == [[0]])
    try copy.keep(run("c"), definition: [1], chunks: [[5]])
    #expect(access(backup + "-wal", F_OK) == 0)
    #expect(try copy.runs(RunFilter()).map(\.id) == ["c", "b", "a"])
  }

  @Test func `compacting a run store frees the disk space of removed runs`() throws {
    defer { clean() }
    var store: SQLiteRunStore? = try SQLiteRunStore(path)
    for number in 0..<20 {
      try store?.keep(
        run("\(number)"), definition: [1], chunks: [[UInt8](repeating: UInt8(number), count: 100_000)])
    }
    store = nil
    func bytes() throws -> Int {
      try ["", "-wal"].reduce(0) { sum, end in
        sum + (try FileManager.default.attributesOfItem(atPath: path + end)[.size] as? Int ?? 0)
      }
    }
    let before = try bytes()
    store = try SQLiteRunStore(path)
    #expect(try store?.remove((0..<18).map { "\($0)" }) == 18)
    try store?.compact()
    #expect(try bytes() < before / 4)
    #expect(try store?.chunks(of: "19") == [[UInt8](repeating: 19, count: 100_000)])
    let lease = try store?.create(run("d", .running), definition: [2], chunks: [[0]], isDurable: true)
    store = nil
    #expect(try !isDamaged(path))
    #expect(try SQLiteRunStore(path).chunks(of: "d") == [[0]])
    withExtendedLifetime(lease) {}
  }
}
