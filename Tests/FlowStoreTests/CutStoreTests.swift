import FlowStore
import FlowStoreSQLite
import Foundation
import Testing

/// A store whose process, or whose machine, was gone in the midst of a write.
@Suite struct `A store that dies after some byte` {
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/flowrun-cut-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func size(of path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
  }

  @Test func `has whatever was written whole before that byte, and nothing else`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/runs.sqlite"
    let store = try SQLiteRunStore(path)
    let run = StoredRun(
      id: "a", workflow: "w", file: "/w.yaml", startedMilliseconds: 1, state: .running, epoch: 1,
      holder: RunHolder(process: 1, host: "here"), header: [])
    let base = size(of: path + "-wal")
    let lease = try store.create(run, definition: [1], chunks: [[0]], isDurable: true)
    // How long the log is behind each write.
    var ends = [size(of: path + "-wal")]
    for number in 1..<8 {
      try store.append([UInt8](repeating: UInt8(number), count: number * 1500), to: lease, isDurable: true)
      ends.append(size(of: path + "-wal"))
    }
    #expect(zip(ends, ends.dropFirst()).allSatisfy { $0 < $1 })
    let (file, log) = (
      try Data(contentsOf: URL(fileURLWithPath: path)), try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
    )
    let step = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] == nil ? 61 : 7
    for length in stride(from: base, through: log.count, by: step) {
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
      #expect(chunks.map(\.count) == [1] + (1..<8).map { $0 * 1500 }.prefix(whole - 1), "\(length) bytes")
      #expect(try cut.runs(RunFilter()).first?.state == .interrupted)
    }
    withExtendedLifetime(lease) {}
  }
}
