import FlowTestKit
import Synchronization
import Testing

@testable import FlowEngine

/// How a slot goes through a handful of steps while others may take it back.
struct HandfulTests {
  private func handful(of count: Int) -> Handful {
    let handful = Handful()
    handful.begin(with: 0, at: 0)
    for step in 1..<max(1, count) { handful.add(Int32(step)) }
    handful.open()
    return handful
  }

  @Test func `taken back at any point, it says what ended, what runs and what was not started`() {
    for count in 1...5 {
      for gone in 0..<count {
        let handful = handful(of: count)
        for step in 0..<gone { #expect(handful.advance(at: 10 * (step + 1)) == Int32(step + 1)) }
        let remainder = handful.takeBack()
        #expect(Array(remainder.started) == (0...gone).map { Int32($0) })
        #expect(Array(remainder.ends) == (0..<gone).map { 10 * ($0 + 1) })
        #expect(Array(remainder.unstarted) == ((gone + 1)..<max(gone + 1, count)).map { Int32($0) })
        // The slot has the step that it runs, and no other.
        #expect(handful.advance(at: 99) == nil)
      }
    }
  }

  @Test func `run through, it says when each step ended, and no step ends before it started`() {
    let handful = handful(of: 3)
    #expect(handful.advance(at: 7) == 1)
    // The clock of a slot may lag behind another's by a little.
    #expect(handful.advance(at: 5) == 2)
    #expect(handful.advance(at: 9) == nil)
    let (steps, ends) = handful.close(at: 9)
    #expect(Array(steps) == [0, 1, 2] && Array(ends) == [7, 7, 9])
  }

  @Test func `it may hold twice as many steps when all were run, and half as many when some were taken back`() {
    let handful = Handful()
    var allowances: [Int] = []
    for round in 0..<9 {
      allowances.append(handful.allowance)
      handful.begin(with: 0, at: 0)
      handful.add(1)
      handful.open()
      if round < 6 {
        #expect(handful.advance(at: 1) == 1)
        _ = handful.close(at: 2)
      } else {
        _ = handful.takeBack()
      }
    }
    #expect(allowances == [2, 4, 8, 16, 32, 32, 32, 16, 8])
  }

  @Test func `with two threads at it, every step is started by the slot or given back, never both, and none is lost`()
    async
  {
    for round in 0..<2_000 {
      let handful = handful(of: Handful.capacity)
      let isBegun = Flag()
      let slot = Task.detached {
        isBegun.set()
        var last: Int32 = 0
        while let next = handful.advance(at: Int(last) + 1) { last = next }
        return Int(last)
      }
      let taker = Task.detached {
        // At another moment each time, and not before the slot has begun.
        while !isBegun.isSet { await Task.yield() }
        for _ in 0..<(round % 64) { _ = isBegun.isSet }
        let remainder = handful.takeBack()
        return (Array(remainder.started), Array(remainder.ends), Array(remainder.unstarted))
      }
      let (last, taken) = await (slot.value, taker.value)
      #expect(taken.0.count == last + 1)
      #expect(taken.0 + taken.2 == (0..<Handful.capacity).map { Int32($0) })
      #expect(taken.1 == (0..<last).map { $0 + 1 })
    }
  }
}

private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
