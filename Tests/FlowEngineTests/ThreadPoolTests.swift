import Testing

@testable import FlowEngine
@testable import FlowModel

/// The growth of a pool, and the duration of the watches that make it grow.
struct ThreadPoolTests {
  private let millisecond = 1_000_000

  private func fullPool() -> ThreadPool {
    var pool = ThreadPool(pool: .threads(.userInitiated), cores: 2)
    for _ in 0..<2 {
      pool.wake()
      pool.noteArrival()
    }
    return pool
  }

  @Test func `a pool whose threads are all busy grows by 1, 2, 4, … up to the limit, after watches of 1 ms`() {
    var pool = fullPool()
    var limits: [Int] = []
    while let time = pool.startWatch() {
      #expect(time == millisecond)
      let isStuck = pool.endWatch(at: 0)
      #expect(isStuck)
      limits.append(pool.limit)
      while pool.hasRoom { pool.wake() }
    }
    #expect(limits == [3, 5, 9, 17, 33, 65, 129, 256])
  }

  @Test func `the watch of a thread pool doubles up to 4 ms while steps are short, and is reset to 1 ms otherwise`() {
    var pool = fullPool()
    var times: [Int] = []
    for returns in [64, 64, 64, 63, 64, 0, 1] {
      times.append(pool.startWatch()! / millisecond)
      pool.noteReturns(returns)
      let isStuck = pool.endWatch(at: 0)
      #expect(isStuck == (returns == 0))
    }
    #expect(times == [1, 2, 4, 4, 1, 2, 1])
    // A pool grows only after a watch during which no thread became free.
    #expect(pool.limit == 3)
  }

  @Test func `a thread pool does not grow for 20 ms after one of its threads has resumed a suspended body`() {
    var pool = fullPool()
    pool.holdLimit(at: 5 * millisecond)
    for (time, limit) in [(6, 2), (24, 2), (25, 3)] {
      #expect(pool.startWatch() == millisecond)
      let isStuck = pool.endWatch(at: time * millisecond)
      #expect(isStuck == (limit == 3))
      #expect(pool.limit == limit)
    }
  }

  @Test func `a thread pool with suspended bodies does not grow until its woken threads have arrived`() {
    var pool = fullPool()
    pool.holdLimit(at: 0)
    for (time, limit) in [(20, 3), (21, 3), (400, 3)] {
      _ = pool.startWatch()
      _ = pool.endWatch(at: time * millisecond)
      #expect(pool.limit == limit)
      while pool.hasRoom { pool.wake() }
    }
    pool.noteArrival()
    pool.holdLimit(at: 401 * millisecond)
    for (time, limit) in [(420, 3), (421, 5)] {
      _ = pool.startWatch()
      _ = pool.endWatch(at: time * millisecond)
      #expect(pool.limit == limit)
    }
  }

  @Test func `a thread pool wakes more threads up to its limit while the limit is held`() {
    var pool = ThreadPool(pool: .threads(.userInitiated), cores: 2)
    pool.wake()
    pool.noteArrival()
    pool.holdLimit(at: 0)
    _ = pool.startWatch()
    let isStuck = pool.endWatch(at: 1)
    #expect(isStuck)
    #expect(pool.limit == 2)
  }

  @Test func `a thread pool has at most one watch at a time, and the main thread has none`() {
    var pool = fullPool()
    #expect(pool.startWatch() != nil && pool.isWatched)
    #expect(pool.startWatch() == nil)
    var main = ThreadPool(pool: .main, cores: 2)
    main.wake()
    #expect(main.startWatch() == nil)
  }
}
