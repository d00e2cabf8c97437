import FlowModel
import FlowTestKit
import Testing

@testable import FlowEngine

/// Compares the set of ready steps with a sorted array.
struct ReadySetTests {
  @Test(arguments: [1, 63, 64, 65, 4_096, 4_097, 300_000])
  func `the ready step with the lowest rank comes first, whatever was inserted and removed before`(capacity: Int) {
    let seed = UInt64(capacity)
    print("capacity \(capacity), seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var set = ReadySet(capacity: capacity)
    defer { set.deallocate() }
    var expected: [Int] = []
    for _ in 0..<20_000 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1, 2:
        // Positions near each other are drawn more often than by chance, because they share words.
        let near = (expected.first ?? 0) + Int.random(in: 0..<70, using: &random)
        let place = Bool.random(using: &random) ? min(near, capacity - 1) : Int.random(in: 0..<capacity, using: &random)
        let index = expected.firstIndex { $0 >= place } ?? expected.count
        if index < expected.count, expected[index] == place { continue }
        expected.insert(place, at: index)
        set.insert(place)
      case 3:
        guard let place = expected.randomElement(using: &random) else { continue }
        expected.removeAll { $0 == place }
        set.remove(place)
      default:
        guard !expected.isEmpty else { continue }
        let lowest = set.removeLowest()
        #expect(lowest == expected.removeFirst())
      }
      if expected.count > 200 {
        while expected.count > 100 {
          let lowest = set.removeLowest()
          #expect(lowest == expected.removeFirst())
        }
      }
      #expect(set.lowest == expected.first && set.count == expected.count && set.isEmpty == expected.isEmpty)
    }
  }

  @Test func `a copy of a plan changes independently of the original`() throws {
    let steps = (0..<200).map { Step("s\($0)", needs: $0 == 0 ? [] : [0]) }
    var plan = try Plan(graph: WorkflowGraph(Workflow(name: "fan", steps: steps)))
    plan.apply(.started(prewarm: false), at: 0)
    plan.apply(.activated(Resolution()), at: 0)
    _ = plan.startNext(at: 0)
    plan.apply(.ended(0, attempt: 1, .success), at: 1)
    var other = plan
    let order = (1..<200).map { _ in plan.startNext(at: 2)?.step }
    let otherOrder = (1..<200).map { _ in other.startNext(at: 3)?.step }
    #expect(order == (1..<200).map { StepIndex($0) } && otherOrder == order)
    #expect(plan[150].startedAtNanoseconds == 2 && other[150].startedAtNanoseconds == 3)
  }
}
