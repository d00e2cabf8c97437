import FlowModel
import FlowPlatform
import Foundation
import Testing

@testable import FlowEngine

/// The properties of files by which changes are detected, for steps that may be up to date.
struct InputStampTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-stamp-\(UUID().uuidString)"

  private func made(_ text: String = "content") throws -> InputStamp {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: folder + "/f", atomically: false, encoding: .utf8)
    // Some generators also reset the times of the files that they write, for example with touch -d @0.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: folder + "/f")
    return InputStamp("f", in: OpenFolder(folder), known: nil)
  }

  /// Returns the stamp of a file as recorded long after its last change, with a digest that no file has.
  private func recorded(_ stamp: InputStamp, _ change: (inout InputStamp) -> Void) throws -> InputStamp {
    var known = stamp
    known.number = try #require(
      try FileManager.default.attributesOfItem(atPath: folder + "/f")[.systemFileNumber] as? UInt64)
    known.digest = "recorded"
    change(&known)
    return known
  }

  @Test func `an input file that has just changed is read again, even if its modification time is old`() throws {
    #expect(try made().number == 0)
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `the digest of an input file is reused only if its inode number, length and times are unchanged`() throws {
    let stamp = try made()
    let same = try recorded(stamp) { _ in }
    #expect(InputStamp("f", in: OpenFolder(folder), known: same).digest == "recorded")
    let changes: [(inout InputStamp) -> Void] = [
      { $0.number += 1 }, { $0.bytes += 1 }, { $0.modifiedNanoseconds += 1 }, { $0.changedNanoseconds -= 1 },
      { $0.number = 0 },
    ]
    for change in changes {
      let other = try recorded(stamp, change)
      #expect(InputStamp("f", in: OpenFolder(folder), known: other).digest == stamp.digest)
    }
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `an input file with new times but equal content counts as unchanged`() throws {
    let stamp = try made()
    #expect(try stamp.isSame(as: recorded(stamp) { ($0.digest, $0.changedNanoseconds) = (stamp.digest, 1) }))
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `the stamp of a step is read back unchanged, or rejected if it is truncated or damaged`() throws {
    let stamp = StepStamp(
      definition: "d", values: "v", inputs: [try made()], products: [try recorded(try made()) { _ in }],
      outputs: ["x": [1, "y"]])
    var bytes: [UInt8] = []
    stamp.write(of: 7, to: &bytes)
    let (item, read, end) = try #require(StepStamp.record(in: bytes, at: 0))
    #expect(item == 7 && end == bytes.count && read.definition == "d" && read.values == "v")
    #expect(read.inputs == stamp.inputs && read.products == stamp.products && read.outputs == stamp.outputs)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 1 << UInt8(index % 8)
      #expect(StepStamp.record(in: damaged, at: 0) == nil, "byte \(index)")
      #expect(StepStamp.record(in: Array(bytes[..<index]), at: 0) == nil, "cut at byte \(index)")
    }
    try FileManager.default.removeItem(atPath: folder)
  }
}
