import FlowStore
import FlowStoreSQLite
import Foundation
import TestSupport
import Testing

/// A store after its process or machine has stopped during a write.
struct `A run store with truncated files` {
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/flowrun-cut-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Returns the length of a log up to its last complete frame, without the zeros that a durable run allocates.
  private func size(of path: String) throws -> Int {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return 0 }
    return 32 + (last - 32) / 4120 * 4120 + 4120
  }

  @Test func `a run store whose log is truncated at any byte has exactly the data written before that byte`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/runs.sqlite"
    let store = try SQLiteRunStore(path)
    let run = StoredRun(
      id: "a", workflow: "w", file: "/w.yaml", startedMilliseconds: 1, state: .running, epoch: 1,
      holder: RunHolder(process: 1, host: "here"), header: [])
    let base = try size(of: path + "-wal")
    let lease = try store.create(run, definition: [1], chunks: [[0]], isDurable: true)
    // The length of the log after each of the writes.
    var ends = [try size(of: path + "-wal")]
    for number in 1..<8 {
      try store.append([UInt8](repeating: UInt8(number), count: number * 1500), to: lease, isDurable: true)
      ends.append(try size(of: path + "-wal"))
    }
    #expect(zip(ends, ends.dropFirst()).allSatisfy { $0 < $1 })
    let (file, log) = (
      try Data(contentsOf: URL(fileURLWithPath: path)), try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
    )
    let step = TestExtent.count(usual: 5 * 61, release: 61, long: 7)
    for length in stride(from: base, through: ends[ends.count - 1], by: step) {
      let copy = folder + "/cut.sqlite"
      try? FileManager.default.removeItem(atPath: copy + "-shm")
      try file.write(to: URL(fileURLWithPath: copy))
      try log.prefix(length).write(to: URL(fileURLWithPath: copy + "-wal"))
      let whole = ends.count { $0 <= length }
      let cut = try SQLiteRunStore(copy)
      guard whole > 0 else {
        #expect(try cut.runs(RunFilter()).isEmpty, "\(length) bytes")
        continue
      }
      let chunks = try cut.chunks(of: "a")
      let counts: [Int] = [1, 1500, 3000, 4500, 6000, 7500, 9000, 10_500]
      #expect(chunks.map(\.count) == Array(counts.prefix(whole)), "\(length) bytes")
      #expect(try cut.runs(RunFilter()).first?.state == .interrupted)
    }
    withExtendedLifetime(lease) {}
  }
}
