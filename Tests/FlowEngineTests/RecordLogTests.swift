import FlowModel
import FlowTestKit
import Testing

@testable import FlowEngine

/// The log of a plan's transitions, whose chunks are filled, read and reused.
struct RecordLogTests {
  @Test func `a plan's records are returned unchanged and in order, even if they are far apart in time`() {
    let seed = SeededGenerator.environmentSeed ?? 51
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var log = RecordLog()
    for count in [0, 1, 4_095, 4_096, 4_097, 20_000] {
      var noted: [PlanRecord] = []
      var now = 0
      for _ in 0..<count {
        // Nanoseconds pass in most rounds, and hours in some. A gate's time may precede that of the last step.
        now += [1, 90, 1 << 32, 7_200_000_000_000, -50].randomElement(using: &random)!
        noted.append(Self.note(in: &log, at: now, &random))
      }
      #expect(log.isEmpty == noted.isEmpty)
      let copy = log.copied()
      let chunks = log.take()
      #expect(chunks.flatMap { Array($0) } == noted)
      #expect(log.isEmpty)
      var other = copy
      #expect(other.take().flatMap { Array($0) } == noted)
      #expect(chunks.allSatisfy { chunk in chunk.isComplete == chunk.allSatisfy(\.isComplete) })
      // Chunks that have been read are reused without any of their contents.
      log.reuse(chunks)
    }
  }

  /// Records a transition and returns the expected record.
  private static func note(in log: inout RecordLog, at now: Int, _ random: inout SeededGenerator) -> PlanRecord {
    let step = StepIndex.random(in: 0..<StepIndex(Limits.steps), using: &random)
    let kind: PlanRecord.Kind
    switch Int.random(in: 0..<40, using: &random) {
    case 0:
      kind = .partial(.ended(step, .timedOut))
      log.append(kind, at: now)
    case 1:
      kind = .complete(.started(step, attempt: 7, queue: 300))
      log.append(kind, at: now)
    case 2..<15:
      kind = .complete(.ready(step))
      log.appendReady(step, at: now)
    case 15..<28:
      let pool = Pool.all.randomElement(using: &random)!
      kind = .complete(.started(step, attempt: 1, queue: pool.index))
      log.appendFirstStart(of: step, in: pool, at: now)
    default:
      kind = .complete(.succeeded(step, attempt: 1))
      log.appendFirstSuccess(of: step, at: now)
    }
    return PlanRecord(kind, atNanoseconds: now)
  }
}

extension PlanRecord {
  fileprivate var isComplete: Bool { if case .complete = kind { true } else { false } }
}
