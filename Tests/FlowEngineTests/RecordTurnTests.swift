import FlowModel
import FlowPlatform
import Foundation
import Testing

@testable import FlowEngine

/// Only the latest attempt of a step may record its products.
struct RecordTurnTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-\(UInt64.random(in: 0 ... .max))"

  private func check() -> UpToDateCheck {
    UpToDateCheck(
      "a", .known(definition: "d", values: "v"), reads: [], makes: [NamedFiles(pattern: "out", need: .ofPaths)],
      in: folder, at: .step(StepID(unchecked: "a"), dataFolder: "\(folder)/data"), isForced: false, mask: nil,
      makers: nil)
  }

  private func write(_ text: String) throws {
    try text.write(toFile: "\(folder)/out", atomically: false, encoding: .utf8)
  }

  private var isUpToDate: Bool { if case .upToDate = check().result() { true } else { false } }

  /// Begins two attempts and lets the second one succeed. Returns the check and the turn of the first one, which has not
  /// ended.
  private func twoAttempts() throws -> (first: UpToDateCheck, turn: RecordTurn) {
    try FileManager.default.createDirectory(atPath: "\(folder)/data", withIntermediateDirectories: true)
    let turns = RecordTurns()
    let (first, second) = (check(), check())
    turns.begin(0, attempt: 1)
    _ = first.result()
    turns.begin(0, attempt: 2)
    _ = second.result()
    try write("made by the second attempt")
    #expect(second.noteSuccess(["n": 2], RecordTurn(of: 0, attempt: 2, in: turns)).failure == nil)
    #expect(isUpToDate)
    return (first, RecordTurn(of: 0, attempt: 1, in: turns))
  }

  @Test func `a timed-out attempt that fails late does not remove the record of a later success`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (first, turn) = try twoAttempts()
    first.noteFailure("late", turn)
    #expect(isUpToDate)
  }

  @Test func `a timed-out attempt that succeeds late does not record its own file`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (first, turn) = try twoAttempts()
    try write("made by the first attempt")
    _ = first.noteSuccess(["n": 1], turn)
    #expect(!isUpToDate)
    try write("made by the second attempt")
    guard case .upToDate(let outputs) = check().result() else {
      Issue.record("it is not up to date")
      return
    }
    #expect(outputs["n"] == 2)
  }
}
