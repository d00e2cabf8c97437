import FlowStore
import FlowStoreSQLite
import FlowSystem
import FlowTestKit
import Foundation
import Testing

@Suite struct `A store of runs in SQLite` {
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/flowrun-store-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private var path: String { folder + "/.flowrun/runs.sqlite" }
  private let holder = RunHolder(process: 1, host: "here")

  private func clean() { try? FileManager.default.removeItem(atPath: folder) }

  private func run(_ id: String) -> StoredRun {
    StoredRun(
      id: id, workflow: "w", file: "/w.yaml", startedMilliseconds: 1, state: .success, epoch: 1, holder: holder,
      header: [])
  }

  @Test func `holds to what all stores hold to`() throws {
    defer { clean() }
    let path = path
    let conformance = RunStoreConformance { () throws -> any RunStore in try SQLiteRunStore(path) }
    #expect(try conformance.problems() == [])
  }

  @Test func `and the one for tests hold to the same`() throws {
    defer { clean() }
    let store = MemoryRunStore()
    let conformance = RunStoreConformance { () throws -> any RunStore in store }
    #expect(try conformance.problems() == [])
  }

  @Test func `may be read by its owner alone`() throws {
    defer { clean() }
    let store = try SQLiteRunStore(path)
    try store.keep(run("a"), definition: [1], chunks: [[1]])
    for (name, mode) in [("", 0o700), ("/runs.sqlite", 0o600), ("/runs.sqlite-wal", 0o600)] {
      var status = stat()
      #expect(stat(folder + "/.flowrun" + name, &status) == 0)
      #expect(Int(status.st_mode) & 0o777 == mode, "\(name)")
    }
  }

  @Test func `that is newer is refused and left as it is`() throws {
    defer { clean() }
    _ = try SQLiteRunStore(path)
    try sqlite("PRAGMA user_version = 2")
    #expect(throws: StoreProblem.newer(path: path, version: 2)) { _ = try SQLiteRunStore(path) }
  }

  @Test func `that is no store is told to be damaged, and moved aside whole`() throws {
    defer { clean() }
    try FileManager.default.createDirectory(atPath: folder + "/.flowrun", withIntermediateDirectories: true)
    let text = String(repeating: "no store ", count: 1000)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    #expect { _ = try SQLiteRunStore(path) } throws: { if case .damaged = $0 as? StoreProblem { true } else { false } }
    let aside = try SQLiteRunStore.moveAside(path, atSeconds: 5)
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == text)
    _ = try SQLiteRunStore(path)
  }

  @Test func `tells every changed bit of what it keeps, and gives nothing else instead`() throws {
    defer { clean() }
    let chunks = (0..<4).map { [UInt8](repeating: UInt8($0 + 1), count: 300) }
    do {
      let store = try SQLiteRunStore(path)
      try store.keep(run("a"), definition: [UInt8](repeating: 7, count: 100), chunks: chunks)
    }
    // Into the file with it, so that there is one place for each byte.
    try sqlite("PRAGMA wal_checkpoint(TRUNCATE)")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var random = SeededGenerator(seed: SeededGenerator.environmentSeed ?? 1)
    var told = 0
    for _ in 0..<300 {
      var changed = bytes
      changed[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      let copy = folder + "/copy.sqlite"
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
      try Data(changed).write(to: URL(fileURLWithPath: copy))
      do {
        let store = try SQLiteRunStore(copy)
        guard let found = try store.runs(RunFilter()).first else { continue }
        #expect(found == run("a"))
        if try store.chunks(of: "a") != chunks { Issue.record("chunks that nobody wrote") }
      } catch {
        told += 1
      }
    }
    #expect(told > 10)
  }

  @Test func `is shared by many at once`() async throws {
    defer { clean() }
    let path = path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask {
          let store = try SQLiteRunStore(path)
          let lease = try store.create(
            StoredRun(
              id: "run-\(number)", workflow: "w", file: "/w.yaml", startedMilliseconds: number, state: .running,
              epoch: 1, holder: RunHolder(process: number, host: "here"), header: []), definition: [1])
          for piece in 0..<20 { try store.append([UInt8(piece)], to: lease, isDurable: false) }
          try store.finish(lease, state: .success, summary: [])
        }
      }
      try await group.waitForAll()
    }
    let store = try SQLiteRunStore(path)
    #expect(try store.runs(RunFilter()).count == 16)
    for number in 0..<16 { #expect(try store.chunks(of: "run-\(number)").count == 20) }
  }

  @Test func `forgets what is too many, too old or too big, but nothing that goes on`() {
    var retention = RunRetention()
    retention.runs = 2
    retention.days = 1
    func made(_ id: String, _ started: Int, _ state: StoredRun.State) -> StoredRun {
      StoredRun(
        id: id, workflow: "w", file: "/w", startedMilliseconds: started, state: state, epoch: 1, holder: holder,
        header: [])
    }
    let day = 86_400_000
    let runs = [
      made("a", 10 * day, .success), made("b", 10 * day, .failure), made("c", 10 * day, .success),
      made("d", 10 * day, .running), made("e", 8 * day, .interrupted),
    ]
    #expect(retention.excess(of: runs, sizes: [:], nowMilliseconds: 10 * day) == ["c", "e"])
    // The newest two have exactly what there is room for; one byte more is too much.
    retention.bytes = 10
    #expect(retention.excess(of: runs, sizes: ["a": 4, "b": 6], nowMilliseconds: 10 * day) == ["c", "e"])
    #expect(retention.excess(of: runs, sizes: ["a": 4, "b": 7], nowMilliseconds: 10 * day) == ["b", "c", "e"])
    // The newest success stays while the workflow has runs, and not longer.
    let old = [made("f", 10 * day, .failure), made("g", 5 * day, .success), made("h", 4 * day, .success)]
    #expect(retention.excess(of: old, sizes: [:], nowMilliseconds: 10 * day) == ["h"])
    #expect(retention.excess(of: Array(old[1...]), sizes: [:], nowMilliseconds: 10 * day) == ["g", "h"])
  }

  private func sqlite(_ text: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c", "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()", path,
      text,
    ]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
