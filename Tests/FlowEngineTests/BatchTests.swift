import FlowTestKit
import Synchronization
import Testing

@testable import FlowEngine

/// One thread runs a batch of steps while other threads may revoke it.
struct BatchTests {
  private func batch(of count: Int) -> Batch {
    let batch = Batch()
    batch.begin(with: 0, at: 0)
    for step in 1..<max(1, count) { batch.add(Int32(step)) }
    batch.open()
    return batch
  }

  @Test func `revoking a batch at any point returns its finished, running and unstarted steps`() {
    for count in 1...5 {
      for gone in 0..<count {
        let batch = batch(of: count)
        for step in 0..<gone { #expect(batch.advance(at: 10 * (step + 1)) == Int32(step + 1)) }
        let remainder = batch.revoke()
        #expect(Array(remainder.started) == (0...gone).map { Int32($0) })
        #expect(Array(remainder.ends) == (0..<gone).map { 10 * ($0 + 1) })
        #expect(Array(remainder.unstarted) == ((gone + 1)..<max(gone + 1, count)).map { Int32($0) })
        // The thread keeps the running step, and no other step.
        #expect(batch.advance(at: 99) == nil)
      }
    }
  }

  @Test func `closing a batch returns the end time of each step, which is never earlier than the step's start`() {
    let batch = batch(of: 3)
    #expect(batch.advance(at: 7) == 1)
    // The clock of one thread may be slightly behind that of another.
    #expect(batch.advance(at: 5) == 2)
    #expect(batch.advance(at: 9) == nil)
    let (steps, ends) = batch.close(at: 9)
    #expect(Array(steps) == [0, 1, 2] && Array(ends) == [7, 7, 9])
  }

  @Test func `the batch size doubles after a completed batch and halves after a revoked one`() {
    let batch = Batch()
    var allowances: [Int] = []
    for round in 0..<9 {
      allowances.append(batch.allowance)
      batch.begin(with: 0, at: 0)
      batch.add(1)
      batch.open()
      if round < 6 {
        #expect(batch.advance(at: 1) == 1)
        _ = batch.close(at: 2)
      } else {
        _ = batch.revoke()
      }
    }
    #expect(allowances == [2, 4, 8, 16, 32, 32, 32, 16, 8])
  }

  @Test func `if a batch is revoked while a thread runs it, each step is either run or revoked exactly once`()
    async
  {
    for round in 0..<2_000 {
      let batch = batch(of: Batch.capacity)
      let isBegun = Flag()
      let thread = Task.detached {
        isBegun.set()
        var last: Int32 = 0
        while let next = batch.advance(at: Int(last) + 1) { last = next }
        return Int(last)
      }
      let taker = Task.detached {
        // Revoke at a different time in each round, but after the thread has started.
        while !isBegun.isSet { await Task.yield() }
        for _ in 0..<(round % 64) { _ = isBegun.isSet }
        let remainder = batch.revoke()
        return (Array(remainder.started), Array(remainder.ends), Array(remainder.unstarted))
      }
      let (last, taken) = await (thread.value, taker.value)
      #expect(taken.0.count == last + 1)
      #expect(taken.0 + taken.2 == (0..<Batch.capacity).map { Int32($0) })
      #expect(taken.1 == (0..<last).map { $0 + 1 })
    }
  }
}

private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
