import FlowModel
import Foundation
import Testing

@testable import FlowEngine

/// What tells a file from another one, for steps that are up to date.
struct InputStampTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-stamp-\(UUID().uuidString)"

  private func made(_ text: String = "content") throws -> InputStamp {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: folder + "/f", atomically: false, encoding: .utf8)
    // A generator that resets its times, as `touch -d @0` does.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: folder + "/f")
    return InputStamp("f", in: folder, known: nil)
  }

  /// The same file as one that was recorded long after its last change, with a digest that only a record can hold.
  private func recorded(_ stamp: InputStamp, _ change: (inout InputStamp) -> Void) throws -> InputStamp {
    var known = stamp
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
    let stamp = try made()
    let same = try recorded(stamp) { _ in }
    #expect(InputStamp("f", in: folder, known: same).digest == "recorded")
    let changes: [(inout InputStamp) -> Void] = [
      { $0.number += 1 }, { $0.bytes += 1 }, { $0.modifiedNanoseconds += 1 }, { $0.changedNanoseconds -= 1 },
      { $0.number = 0 },
    ]
    for change in changes {
      let other = try recorded(stamp, change)
      #expect(InputStamp("f", in: folder, known: other).digest == stamp.digest)
    }
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `times never say that the content is another`() throws {
    let stamp = try made()
    #expect(try stamp.isSame(as: recorded(stamp) { ($0.digest, $0.changedNanoseconds) = (stamp.digest, 1) }))
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `what an older version wrote down is read again`() throws {
    let stamp = try made()
    let known = try recorded(stamp) { _ in }
    guard case .array(let parts) = known.value else { return #expect(Bool(false)) }
    #expect(InputStamp(known.value) == known)
    #expect(try #require(InputStamp(.array(Array(parts.prefix(5))))).number == 0)
    try FileManager.default.removeItem(atPath: folder)
  }
}
