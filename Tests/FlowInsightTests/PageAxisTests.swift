import Testing

@testable import FlowInsight

struct `The axis of a timeline` {
  @Test func `a timeline's axis remains linear if at least one step is running at any time`() {
    let axis = PageAxis(end: 1_000_000_000, busy: [0..<400_000_000, 300_000_000..<1_000_000_000])
    #expect(axis.breaks.isEmpty && abs(axis.share(of: 250_000_000) - 0.25) < 1e-9)
    #expect(axis.ticks() == [0, 200_000_000, 400_000_000, 600_000_000, 800_000_000, 1_000_000_000])
  }

  @Test func `a timeline's axis shortens the wait for the gate's minimum`() {
    let axis = PageAxis(end: 2_000_000_000, busy: [0..<150_000_000, 1_900_000_000..<2_000_000_000])
    #expect(axis.breaks.count == 1)
    #expect(axis.share(of: 150_000_000) > 0.5 && axis.share(of: 1_900_000_000) > axis.share(of: 150_000_000))
    #expect(axis.share(of: 2_000_000_000) > 0.999)
    let shares = stride(from: 0, through: 2_000_000_000, by: 10_000_000).map { axis.share(of: $0) }
    #expect(shares == shares.sorted())
  }

  @Test func `a timeline's axis remains linear if steps take no time`() {
    let axis = PageAxis(end: 1_500_000_000, busy: [0..<0, 1_500_000_000..<1_500_000_000])
    #expect(axis.breaks.isEmpty && axis.share(of: 750_000_000) > 0.4)
  }

  @Test(arguments: [0, 1, 999, 7_654_321, 86_400_000_000_000]) func `an axis has round ticks for any length`(end: Int) {
    let axis = PageAxis(end: end, busy: [0..<max(1, end)])
    #expect(axis.ticks().count <= 8)
    #expect(axis.ticks().allSatisfy { $0 % PageAxis.step(max(1, end)) == 0 })
  }
}
