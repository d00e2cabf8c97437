import FlowStore
import FlowStoreSQLite
import FlowPlatform
import FlowTestKit
import Foundation
import TestSupport
import Testing

struct `An SQLite run store` {
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

  @Test func `an SQLite run store conforms to the rules for all stores`() throws {
    defer { clean() }
    let path = path
    let conformance = RunStoreConformance { () throws -> any RunStore in try SQLiteRunStore(path) }
    #expect(try conformance.problems() == [])
  }

  @Test func `the in-memory run store conforms to the rules for all stores`() throws {
    defer { clean() }
    let store = MemoryRunStore()
    let conformance = RunStoreConformance { () throws -> any RunStore in store }
    #expect(try conformance.problems() == [])
  }

  @Test func `opening a run store does not change its files on disk`() throws {
    defer { clean() }
    try SQLiteRunStore(path).keep(run("a"), definition: [1], chunks: [[1]])
    func changes() -> [timespec] {
      ["", "-wal"].map { end in
        var status = stat()
        #expect(stat(path + end, &status) == 0)
        #if canImport(Darwin)
          return status.st_ctimespec
        #else
          return status.st_ctim
        #endif
      }
    }
    let before = changes()
    #expect(try SQLiteRunStore(path).run("a") != nil)
    for (before, after) in zip(before, changes()) {
      #expect(before.tv_sec == after.tv_sec && before.tv_nsec == after.tv_nsec)
    }
  }

  /// The run may end after its row is read and before its lock is checked. Its lock is then free, as after an
  /// interruption.
  @Test func `a run store never lists a run as interrupted while the run is ending`() async throws {
    defer { clean() }
    let (writer, reader) = (try SQLiteRunStore(path), try SQLiteRunStore(path))
    var begun = run("a")
    begun.state = .running
    let writing = Task.detached { [begun] in
      for number in 0..<400 {
        var run = begun
        run.id = "r\(number)"
        let lease = try writer.create(run, definition: [1], chunks: [], isDurable: false)
        try writer.finish(lease, state: .success, summary: [])
      }
    }
    var newest = RunFilter()
    newest.limit = 2
    var seen: Set<StoredRun.State> = []
    var number = 0
    while number < 400 {
      guard let found = try reader.run("r\(number)") else { continue }
      seen.insert(found.state)
      seen.formUnion(try reader.list(newest).runs.map(\.state))
      if found.state != .running { number += 1 }
    }
    try await writing.value
    #expect(seen.isSubset(of: [.running, .success]), "\(seen)")
  }

  @Test func `a run store can be read only by its owner`() throws {
    defer { clean() }
    let store = try SQLiteRunStore(path)
    try store.keep(run("a"), definition: [1], chunks: [[1]])
    for (name, mode) in [("", 0o700), ("/runs.sqlite", 0o600), ("/runs.sqlite-wal", 0o600)] {
      var status = stat()
      #expect(stat(folder + "/.flowrun" + name, &status) == 0)
      #expect(Int(status.st_mode) & 0o777 == mode, "\(name)")
    }
  }

  @Test func `a run store with a newer format is rejected and left unchanged`() throws {
    defer { clean() }
    _ = try SQLiteRunStore(path)
    try sqlite("PRAGMA user_version = 3")
    #expect(throws: StoreProblem.newer(path: path, version: 3)) { _ = try SQLiteRunStore(path) }
  }

  @Test func `a run store with format 1, which has checksums of definitions, is read and upgraded`() throws {
    defer { clean() }
    let definition = [UInt8]("name: w".utf8)
    try SQLiteRunStore(path).keep(run("a"), definition: definition, chunks: [[1]])
    try sqlite("UPDATE definition SET checksum = \(Checksum.of(definition))")
    try sqlite("PRAGMA user_version = 1")
    #expect(try SQLiteRunStore(path, readOnly: true).definition(of: "a") == definition)
    let store = try SQLiteRunStore(path)
    try store.keep(run("b"), definition: definition, chunks: [[1]])
    #expect(try store.definition(of: "a") == definition && store.definition(of: "b") == definition)
    try sqlite("UPDATE definition SET bytes = x'6e616d653a2078'")
    #expect(throws: StoreProblem.self) { try store.definition(of: "a") }
    #expect(throws: StoreProblem.self) { try store.definition(of: "b") }
  }

  @Test func `a run store saves a definition again if the existing copy is damaged`() throws {
    defer { clean() }
    let definition = [UInt8]("name: w".utf8)
    let store = try SQLiteRunStore(path)
    try store.keep(run("a"), definition: definition, chunks: [[1]])
    try sqlite("UPDATE definition SET bytes = x'6e616d653a2078'")
    try store.keep(run("b"), definition: definition, chunks: [[1]])
    #expect(throws: StoreProblem.self) { try store.definition(of: "a") }
    #expect(try store.definition(of: "b") == definition)
  }

  @Test(arguments: [
    "workflow = 'v'", "file = '/v'", "summary = x'00'", "header = x'00'", "started = 7", "state = 'running'",
    "epoch = 9",
    "process = 4", "host = 'there'", "chunks = 4", "definition = 3", "checksum = 5", "id = 'x'",
  ])
  func `a store with a damaged run lists the other runs, reports the damaged one and can remove it`(change: String)
    throws
  {
    defer { clean() }
    let store = try SQLiteRunStore(path)
    for id in ["a", "b", "c"] { try store.keep(run(id), definition: [7], chunks: [[1]]) }
    try sqlite("UPDATE run SET \(change) WHERE id = 'b'")
    let list = try store.list(RunFilter())
    #expect(list.runs.map(\.id) == ["c", "a"])
    #expect(list.damaged == [change == "id = 'x'" ? "x" : "b"])
    #expect(try store.remove(list.damaged) == 1)
    #expect(try store.list(RunFilter()).damaged.isEmpty)
    #expect(try store.runs(RunFilter()).map(\.id) == ["c", "a"])
    #expect(try store.chunks(of: "c") == [[1]] && store.definition(of: "a") == [7])
  }

  @Test(arguments: [0, 300_000]) func `a run store with a damaged page lists the readable runs`(forgotten: Int) throws {
    defer { clean() }
    do {
      let store = try SQLiteRunStore(path)
      try store.keep(run("forgotten"), definition: [7], chunks: [])
      #expect(try store.remove(["forgotten"]) == 1)
      try sqlite("UPDATE sqlite_sequence SET seq = \(forgotten) WHERE name = 'run'")
      for number in 0..<40 {
        var run = run("run-\(number)")
        (run.startedMilliseconds, run.header) = (number, [UInt8](repeating: 9, count: 600))
        try store.keep(run, definition: [7], chunks: [[1]])
      }
    }
    try sqlite("PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    // The page that contains the row of the tenth run gets an invalid header.
    let name = [UInt8]("run-9/".utf8.dropLast())
    let hit = try #require((0..<bytes.count).first { bytes[$0...].starts(with: name + [UInt8]("w/w".utf8)) })
    for offset in 0..<8 { bytes[hit / 4096 * 4096 + offset] = 0xEE }
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let list = try SQLiteRunStore(path).list(RunFilter())
    #expect(list.runs.count > 20 && list.runs.count + list.unreadable.count == 40, "\(list.runs.count)")
    #expect(list.damaged.isEmpty && list.unreadable.contains(forgotten + 10))
    #expect(list.runs.map(\.startedMilliseconds) == list.runs.map(\.startedMilliseconds).sorted(by: >))
  }

  @Test func `a run store ignores a damaged request`() throws {
    defer { clean() }
    let (store, other) = (try SQLiteRunStore(path), try SQLiteRunStore(path))
    var begun = run("a")
    begun.state = .running
    let lease = try store.create(begun, definition: [1])
    let damaged = try other.ask("a", [UInt8]("cancel".utf8))
    let whole = try other.ask("a", [UInt8]("post".utf8))
    try sqlite("UPDATE request SET body = x'00' WHERE number = \(damaged)")
    #expect(try store.requests(of: lease) == [RunRequestEntry(number: whole, body: [UInt8]("post".utf8))])
    #expect(try other.answer(to: damaged) == nil)
  }

  @Test func `a file that is not an SQLite store is reported as damaged and moved aside`() throws {
    defer { clean() }
    try FileManager.default.createDirectory(atPath: folder + "/.flowrun", withIntermediateDirectories: true)
    let text = String(repeating: "no store ", count: 1000)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    #expect { _ = try SQLiteRunStore(path) } throws: { if case .damaged = $0 as? StoreProblem { true } else { false } }
    let aside = try #require(try SQLiteRunStore.moveAside(path, FileIdentity(path), atSeconds: 5))
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == text)
    _ = try SQLiteRunStore(path)
  }

  @Test func `on a network file system, a run can be continued only on its own machine`() throws {
    defer { clean() }
    let store = try SQLiteRunStore(path, isOnNetwork: true)
    for (id, isNetwork) in [("a", true), ("b", false)] {
      var begun = run(id)
      begun.state = .running
      _ = try store.create(begun, definition: [1])
      let store = try SQLiteRunStore(path, isOnNetwork: isNetwork)
      func take(_ host: String) throws -> any RunLease {
        try store.take(
          id, at: RunPosition(epoch: 1, chunkCount: 0), by: RunHolder(process: 2, host: host))
      }
      if isNetwork {
        #expect(throws: StoreProblem.elsewhere(run: id, on: "here")) { _ = try take("there") }
        #expect(try take("here").epoch == 2)
      } else {
        #expect(try take("there").epoch == 2)
      }
    }
  }

  @Test func `a run store can be used by many threads at once`() async throws {
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

  @Test func `a run store lists runs in the order of recording even if the clock was set back`() throws {
    defer { clean() }
    let stores: [any RunStore] = [try SQLiteRunStore(path), MemoryRunStore()]
    for store in stores {
      for (id, started) in [("a", 500), ("b", 100), ("c", 300)] {
        var run = run(id)
        run.startedMilliseconds = started
        try store.keep(run, definition: [1], chunks: [])
      }
      #expect(try store.runs(RunFilter()).map(\.id) == ["c", "b", "a"])
      var newest = RunFilter()
      newest.limit = 1
      #expect(try store.runs(newest).map(\.id) == ["c"])
    }
  }

  @Test func `a wrong clock during one run does not cause the removal of runs`() {
    let retention = RunRetention()
    func made(_ id: String, day: Int) -> StoredRun {
      StoredRun(
        id: id, workflow: "w", file: "/w", startedMilliseconds: day * 86_400_000, state: .failure, epoch: 1,
        holder: holder, header: [])
    }
    func excess(_ runs: [StoredRun], today: Int) -> [String] {
      retention.excess(of: runs, sizes: [:], nowMilliseconds: today * 86_400_000)
    }
    let usual = [made("c", day: 1002), made("b", day: 1001), made("a", day: 1000)]
    // The clock was ahead during one run and is correct afterwards.
    #expect(excess([made("ahead", day: 1402)] + usual, today: 1402) == [])
    #expect(excess([made("ahead", day: 1402)] + usual, today: 1003) == [])
    #expect(excess([made("d", day: 1003), made("ahead", day: 1402)] + usual, today: 1003) == [])
    // The clock was behind during one run.
    #expect(excess([made("behind", day: 10)] + usual, today: 10) == [])
    // Time has passed, so older runs are removed.
    #expect(excess([made("e", day: 1101), made("d", day: 1100)] + usual, today: 1101) == ["c", "b", "a"])
  }

  @Test func `runs beyond a limit are removed, but active runs are not`() {
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
    // The newest two runs fit exactly, and one more byte exceeds the limit.
    retention.bytes = 10
    #expect(retention.excess(of: runs, sizes: ["a": 4, "b": 6], nowMilliseconds: 10 * day) == ["c", "e"])
    #expect(retention.excess(of: runs, sizes: ["a": 4, "b": 7], nowMilliseconds: 10 * day) == ["b", "c", "e"])
    // The newest success is kept only while another run of the workflow is kept.
    let old = [made("f", 10 * day, .failure), made("g", 5 * day, .success), made("h", 3 * day, .success)]
    #expect(retention.excess(of: old, sizes: [:], nowMilliseconds: 10 * day) == ["h"])
    retention.trustsClock = true
    #expect(retention.excess(of: Array(old[1...]), sizes: [:], nowMilliseconds: 10 * day) == ["g", "h"])
  }

  @Test func `the newest success of each step is kept while other runs of its workflow are kept`() {
    var retention = RunRetention()
    retention.runs = 1
    func made(_ id: String, _ started: Int, _ file: String = "/w") -> StoredRun {
      StoredRun(
        id: id, workflow: "w", file: file, startedMilliseconds: started, state: .failure, epoch: 1, holder: holder,
        header: [])
    }
    let runs = [made("a", 5), made("b", 4), made("c", 3), made("d", 2), made("e", 1)]
    let ended: [String: Set<String>] = ["a": ["x"], "b": ["x"], "c": ["x", "y"], "d": ["y"], "e": ["z"]]
    #expect(
      retention.excess(of: runs, sizes: [:], nowMilliseconds: 5) { ended[$0.id] ?? [] } == ["b", "d"])
    // No further runs are read once a later success of each step has been found.
    var asked: [String] = []
    _ = retention.excess(of: Array(runs[..<2]), sizes: [:], nowMilliseconds: 5) {
      asked.append($0.id)
      return ended[$0.id] ?? []
    }
    #expect(asked == ["b", "a"])
    retention.runs = 0
    #expect(retention.excess(of: runs, sizes: [:], nowMilliseconds: 5) { ended[$0.id] ?? [] }.count == 5)
  }

  private func sqlite(_ text: String) throws {
    try ForeignWriter.execute(text, on: path)
  }
}
