import FlowPlatform
import FlowStore
import FlowStoreSQLite
import Foundation
import TestSupport
import Synchronization
import Testing

/// A damaged store must either list the same runs, or be reported and moved aside by the next run.
struct `A damaged run store` {
  private let folder: String
  private let isLong = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] != nil

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/flowrun-damage-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private var path: String { folder + "/runs.sqlite" }
  private func clean() { try? FileManager.default.removeItem(atPath: folder) }

  private static func run(_ id: String, _ state: StoredRun.State, _ started: Int) -> StoredRun {
    StoredRun(
      id: id, workflow: "w", file: "/w.yaml", startedMilliseconds: started, state: state, epoch: 1,
      holder: RunHolder(process: 1, host: "here"), header: [1, 2, 3])
  }

  /// The files of a store that no process has open.
  private struct Files {
    var main: [UInt8]
    var log: [UInt8]
    var record: [UInt8]

    init(_ path: String) throws {
      main = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
      record = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + ".lock")))
      // Omit the zeros that a durable run has allocated.
      if let last = log.lastIndex(where: { $0 != 0 }) { log = Array(log[..<min(log.count, last + 4096)]) }
    }

    func write(to path: String) throws {
      unlink(path + "-shm")
      for (bytes, end) in [(main, ""), (log, "-wal"), (record, ".lock")] {
        // Foundation would flush the file to disk, so use the C functions.
        let file = try #require(fopen(path + end, "w"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count && fclose(file) == 0)
      }
    }
  }

  /// Creates a store with a run that ended and a durable run that was interrupted.
  private func durableStore() throws {
    let store = try SQLiteRunStore(path)
    try store.keep(Self.run("kept", .success, 1), definition: [9], chunks: [[1], [2]])
    let lease = try store.create(Self.run("durable", .running, 2), definition: [7], chunks: [[0]], isDurable: true)
    for number in 1..<4 { try store.append([UInt8](repeating: UInt8(number), count: 300), to: lease, isDurable: true) }
    withExtendedLifetime(lease) {}
  }

  /// Returns the chunks of the journal of each run that the store lists, or nil if the store or a run is reported as
  /// damaged.
  private func contents(_ path: String) throws -> [String: [[UInt8]]]? {
    do throws(StoreProblem) {
      let store = try SQLiteRunStore(path)
      let list = try store.list(RunFilter())
      guard list.flaw == nil, list.damaged.isEmpty, list.unreadable.isEmpty else { return nil }
      var contents: [String: [[UInt8]]] = [:]
      for run in list.runs { contents[run.id] = try store.chunks(of: run.id) }
      return contents
    } catch {
      guard case .damaged = error else { throw error }
      return nil
    }
  }

  /// True if the next run detects the damage, or if the damaged runs are listed one by one.
  private func isDealtWith(_ path: String) throws -> Bool {
    do throws(StoreProblem) {
      let store = try SQLiteRunStore(path)
      try store.keep(Self.run("next", .success, 9), definition: [7], chunks: [[5]])
      let list = try store.list(RunFilter())
      return list.runs.contains { $0.id == "next" } && list.runs.count + list.damaged.count == 3
    } catch {
      guard case .damaged = error else { throw error }
      return true
    }
  }

  /// The observed effect of changing one bit.
  private enum Finding {
    case same, reported, newer
    case wrong(String)
  }

  private func finding(
    _ changed: Files, at copy: String, of whole: [String: [[UInt8]]], mayLack: String?
  ) throws -> Finding {
    try changed.write(to: copy)
    do {
      if let seen = try contents(copy) {
        var expected = whole
        if let mayLack, seen[mayLack] == nil { expected[mayLack] = nil }
        return seen == expected ? .same : .wrong("lists \(seen.keys.sorted())")
      }
      try changed.write(to: copy)
      return try isDealtWith(copy) ? .reported : .wrong("is reported, and the next run keeps the store")
    } catch StoreProblem.newer {
      return .newer
    }
  }

  /// A long test changes every 23rd bit, beginning with one that depends on the seed, so 23 consecutive seeds change
  /// all bits. A million and a half bits take an hour.
  private static let longStep = 23
  private static let seed =
    ProcessInfo.processInfo.environment["FLOWRUN_SEED"].flatMap { Int($0) } ?? 7

  /// Changes some bits of a file, one at a time, and checks the store each time. Several threads are used, because a
  /// log that seems damaged is read repeatedly for 20 ms.
  private func check(
    _ files: Files, _ part: WritableKeyPath<Files, [UInt8]> & Sendable, of whole: [String: [[UInt8]]],
    mayLack: String? = nil, newerAt: Int? = nil
  ) throws {
    let count = 8 * files[keyPath: part].count
    let step = TestExtent.count(usual: 8 * 4 * 61 + 1, release: 8 * 61 + 1, long: Self.longStep)
    let next = Atomic(isLong ? Self.seed % step : 0)
    let found = Mutex<(reported: Int, wrong: [String])>((0, []))
    let threads = DispatchGroup()
    for number in 0..<16 {
      threads.enter()
      Thread {
        defer { threads.leave() }
        while true {
          let bit = next.add(step, ordering: .relaxed).oldValue
          guard bit < count else { return }
          var changed = files
          changed[keyPath: part][bit / 8] ^= 1 << (bit % 8)
          let result = Result {
            try finding(changed, at: "\(folder)/copy-\(number).sqlite", of: whole, mayLack: mayLack)
          }
          found.withLock { found in
            switch result {
            case .success(.same): break
            case .success(.reported): found.reported += 1
            case .success(.newer): if bit != newerAt { found.wrong.append("bit \(bit) makes it newer") }
            case .success(.wrong(let text)): found.wrong.append("bit \(bit): \(text)")
            case .failure(let error): found.wrong.append("bit \(bit): \(error)")
            }
          }
        }
      }.start()
    }
    threads.wait()
    let (reported, wrong) = found.withLock { $0 }
    #expect(reported > 0 && wrong.isEmpty, "\(wrong.count), FLOWRUN_SEED=\(Self.seed): \(wrong.prefix(20))")
  }

  @Test(.timeLimit(.minutes(60)))
  func `a change in a run store's log is reported if it affects a run`() throws {
    defer { clean() }
    try durableStore()
    let whole = try #require(try contents(path))
    #expect(whole["durable"]?.count == 4 && whole["kept"]?.count == 2)
    try check(try Files(path), \.log, of: whole)
  }

  @Test(.timeLimit(.minutes(60)))
  func `if a run store's log was changed, at most the last transaction of a non-durable run is missing`() throws {
    defer { clean() }
    try durableStore()
    try SQLiteRunStore(path).keep(Self.run("last", .success, 3), definition: [7], chunks: [[1]])
    let whole = try #require(try contents(path))
    try check(try Files(path), \.log, of: whole, mayLack: "last")
  }

  @Test(.timeLimit(.minutes(60)))
  func `a change in a run store's main file is reported if it affects a run`() throws {
    defer { clean() }
    try durableStore()
    // Now the main file has the whole content, and the log is empty.
    try ForeignWriter.execute("PRAGMA wal_checkpoint(TRUNCATE)", on: path)
    try Data().write(to: URL(fileURLWithPath: path + "-wal"))
    let whole = try #require(try contents(path))
    #expect(whole["durable"]?.count == 4)
    // The next format differs from this one in one bit. It is reported as newer, and the store is left unchanged.
    try check(try Files(path), \.main, of: whole, newerAt: 8 * 63)
  }

  @Test func `a run store is moved aside once if its main file is empty or the start of its log has changed`() throws {
    defer { clean() }
    try durableStore()
    let files = try Files(path)
    var (emptied, other, first) = (files, files, files)
    emptied.main = []
    other.log.replaceSubrange(0..<32, with: [UInt8](repeating: 7, count: 32))
    // One byte in the salt of the first frame differs, as after a tool has written to the file.
    first.log[40] ^= UInt8(ascii: "X")
    for changed in [emptied, other, first] {
      try changed.write(to: path)
      let found = FileIdentity(path)
      for readOnly in [true, false] {
        #expect {
          _ = try SQLiteRunStore(path, readOnly: readOnly)
        } throws: { if case .damaged = $0 as? StoreProblem { true } else { false } }
      }
      let aside = try #require(try SQLiteRunStore.moveAside(path, found, atSeconds: 5))
      #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == Data(changed.main))
      #expect(try Data(contentsOf: URL(fileURLWithPath: aside + "-wal")) == Data(changed.log))
      let store = try SQLiteRunStore(path)
      // Another process has found the same damage and does nothing.
      #expect(try SQLiteRunStore.moveAside(path, found, atSeconds: 5) == nil)
      #expect(try store.runs(RunFilter()).isEmpty)
    }
  }

  @Test func `a store of an earlier version with tables only in the log is distinguished from a damaged one`() throws {
    defer { clean() }
    try durableStore()
    let sound = try contents(path)
    var files = try Files(path)
    for field in [44..<48, 56..<60] { files.main.replaceSubrange(field, with: [0, 0, 0, 0]) }
    try files.write(to: path)
    let found = try contents(path)
    #expect(found != nil && found == sound)
    // A change in only one of the two fields counts as damage.
    files.main[47] = 4
    try files.write(to: path)
    #expect(try contents(path) == nil)
  }

  @Test func `a run store counts as new only if it cannot have contained a run`() throws {
    defer { clean() }
    // A process that is killed while creating the store leaves files with another name.
    for suffix in [".new", ".new-wal"] { try Data([1, 2]).write(to: URL(fileURLWithPath: path + suffix)) }
    #expect(SQLiteRunStore.isNew(path))
    for log in [nil, Data(), Data(repeating: 0, count: 70_000)] as [Data?] {
      for end in ["", "-shm", "-wal"] { unlink(path + end) }
      try Data().write(to: URL(fileURLWithPath: path))
      try log?.write(to: URL(fileURLWithPath: path + "-wal"))
      #expect(SQLiteRunStore.isNew(path))
      try SQLiteRunStore(path).keep(Self.run("a", .success, 1), definition: [1], chunks: [[1]])
      #expect(try contents(path) == ["a": [[1]]])
      #expect(access(path + ".new", F_OK) != 0)
    }
    // The main file was moved aside by a process that was killed before it moved the log.
    unlink(path)
    #expect(!SQLiteRunStore.isNew(path))
    #expect(throws: StoreProblem.self) { _ = try SQLiteRunStore(path) }
    #expect(try SQLiteRunStore.moveAside(path, FileIdentity(path), atSeconds: 5) != nil)
    #expect(try SQLiteRunStore(path).runs(RunFilter()).isEmpty)
  }

  @Test func `a run store that replaces a damaged one skips the numbers of runs that are still locked`() throws {
    defer { clean() }
    let old = try SQLiteRunStore(path)
    let held = try old.create(Self.run("old", .running, 1), definition: [1])
    _ = try SQLiteRunStore.moveAside(path, FileIdentity(path), atSeconds: 5)
    let store = try SQLiteRunStore(path)
    let lease = try store.create(Self.run("new", .running, 1), definition: [1])
    #expect(try store.runs(RunFilter()).map(\.state) == [.running])
    withExtendedLifetime((held, lease)) {}
  }

  @Test func `only the torn transaction is missing if nothing but its later frames reached the disk`() throws {
    defer { clean() }
    try durableStore()
    let before = try Files(path)
    do {
      let store = try SQLiteRunStore(path)
      try store.keep(Self.run("torn", .success, 3), definition: [3], chunks: [[UInt8](repeating: 3, count: 20_000)])
    }
    let after = try Files(path)
    let whole = try #require(try contents(path))
    #expect(whole["torn"] != nil)
    // The first frame of the transaction is the old one, as after a power failure. Neither the record nor the copy in
    // the main file has been written, because that happens after the log is flushed.
    let first = (before.log.lastIndex { $0 != 0 } ?? 0) / 4120
    var cut = after
    (cut.record, cut.main) = (before.record, before.main)
    for page in first..<first + 3 {
      let range = 32 + 4120 * page..<32 + 4120 * (page + 1)
      cut.log.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
      try cut.write(to: path)
      var expected = whole
      expected["torn"] = nil
      #expect(try contents(path) == expected)
    }
  }
}
