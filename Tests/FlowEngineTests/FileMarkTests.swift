import FlowModel
import Foundation
import Testing

@testable import FlowEngine

/// What tells a file from another one, for steps that are up to date.
struct FileMarkTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-mark-\(UUID().uuidString)"

  private func made(_ text: String = "content") throws -> FileMark {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: folder + "/f", atomically: false, encoding: .utf8)
    // A generator that resets its times, as `touch -d @0` does.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: folder + "/f")
    return FileMark("f", in: folder, known: nil)
  }

  /// The same file as one that was recorded long after its last change, with a digest that only a record can hold.
  private func recorded(_ mark: FileMark, _ change: (inout FileMark) -> Void) throws -> FileMark {
    var known = mark
    known.number = try #require(
      try FileManager.default.attributesOfItem(atPath: folder + "/f")[.systemFileNumber] as? UInt64)
    known.digest = "recorded"
    change(&known)
    return known
  }

  @Test func `a file that changed just now is read the next time, whatever its time of modification says`() throws {
    #expect(try made().number == 0)
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `a digest is used again only while inode, length and both times are equal`() throws {
    let mark = try made()
    let same = try recorded(mark) { _ in }
    #expect(FileMark("f", in: folder, known: same).digest == "recorded")
    let changes: [(inout FileMark) -> Void] = [
      { $0.number += 1 }, { $0.bytes += 1 }, { $0.modifiedNanoseconds += 1 }, { $0.changedNanoseconds -= 1 },
      { $0.number = 0 },
    ]
    for change in changes {
      let other = try recorded(mark, change)
      #expect(FileMark("f", in: folder, known: other).digest == mark.digest)
    }
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `times never say that the content is another`() throws {
    let mark = try made()
    #expect(try mark.isSame(as: recorded(mark) { ($0.digest, $0.changedNanoseconds) = (mark.digest, 1) }))
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `what an older version wrote down is read again`() throws {
    let mark = try made()
    let known = try recorded(mark) { _ in }
    guard case .array(let parts) = known.value else { return #expect(Bool(false)) }
    #expect(FileMark(known.value) == known)
    #expect(try #require(FileMark(.array(Array(parts.prefix(5))))).number == 0)
    try FileManager.default.removeItem(atPath: folder)
  }
}
