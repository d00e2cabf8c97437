import Testing

@testable import FlowEngine
@testable import FlowModel

/// When more threads come, and how long a watch takes that sees to it.
struct ThreadPoolTests {
  private let millisecond = 1_000_000

  private func fullPool() -> ThreadPool {
    var pool = ThreadPool(pool: .threads(.userInitiated), cores: 2)
    pool.wake()
    pool.wake()
    return pool
  }

  @Test func `a pool in which no thread comes free grows by 1, 2, 4, … up to the limit, a watch of 1 ms each time`() {
    var pool = fullPool()
    var limits: [Int] = []
    while let time = pool.startWatch() {
      #expect(time == millisecond)
      let isStuck = pool.endWatch()
      #expect(isStuck)
      limits.append(pool.limit)
      while pool.hasRoom { pool.wake() }
    }
    #expect(limits == [3, 5, 9, 17, 33, 65, 129, 256])
  }

  @Test func `a watch over short steps takes up to 4 ms, and 1 ms again once they are not short`() {
    var pool = fullPool()
    var times: [Int] = []
    for returns in [64, 64, 64, 63, 64, 0, 1] {
      times.append(pool.startWatch()! / millisecond)
      pool.noteReturns(returns)
      let isStuck = pool.endWatch()
      #expect(isStuck == (returns == 0))
    }
    #expect(times == [1, 2, 4, 4, 1, 2, 1])
    // Only a watch that saw no thread come free lets the pool grow.
    #expect(pool.limit == 3)
  }

  @Test func `one watch is enough, and the main thread has none`() {
    var pool = fullPool()
    #expect(pool.startWatch() != nil && pool.isWatched)
    #expect(pool.startWatch() == nil)
    var main = ThreadPool(pool: .main, cores: 2)
    main.wake()
    #expect(main.startWatch() == nil)
  }
}
