import FlowTestKit
import Testing

struct `A seeded generator` {
  @Test func `a seeded generator returns the same numbers for the same seed`() {
    var first = SeededGenerator(seed: 7)
    var second = SeededGenerator(seed: 7)
    #expect((0..<100).map { _ in first.pick([1, 2, 3]) } == (0..<100).map { _ in second.pick([1, 2, 3]) })
  }

  @Test func `a seeded generator returns true with about the given probability`() {
    var random = SeededGenerator(seed: 3)
    let hits = (0..<10_000).count { _ in random.chance(20) }
    #expect((1_800...2_200).contains(hits))
    #expect(!(0..<100).contains { _ in random.chance(0) })
    #expect((0..<100).allSatisfy { _ in random.chance(100) })
  }
}
