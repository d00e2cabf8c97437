import Dispatch
import FlowModel
import FlowPlatform
import Synchronization

/// The threads of the pools, shared by all runs of a process: one that has nothing to do waits a moment for the next
/// thread before it ends.
///
/// They are threads of their own, not Dispatch's: Dispatch has 255 in all, shares them between qualities of
/// service, and does not say when it has no more, so that steps would be said to run that have no thread, and what
/// reports the run, or stops it, would wait behind them.
package final class PoolThreads: Sendable {
  /// Those of the process.
  package static let shared = PoolThreads(
    start: BareThread.start,
    // The limit is read here: a page that is first written while there are threads interrupts all of them.
    hasRoom: { [limit = ProcessTable.limit] in ProcessTable.isHalfFree(of: limit) })

  /// How long a thread stays that has nothing to do.
  private static let idleTime = DispatchTimeInterval.seconds(2)
  /// The number of threads that are returned when the system gives no more, for others in the process that need one.
  private static let reserve = 4
  /// The number of threads that are requested however little room there is.
  private static let fewest = 2

  private let start: @Sendable (BareThread.Kind, @escaping @Sendable () -> Void) -> Bool
  private let hasRoom: @Sendable () -> Bool
  private let state = Mutex(State())
  /// Runs those who await a gate until they are back at the main actor.
  let passing: any TaskExecutor = PassingExecutor()

  private struct State {
    /// Threads that wait for work, by the index of their pool.
    var idle = [[IdleThread]](repeating: [], count: Pool.all.count)
    var count = 0
    /// How many of them have begun.
    var living = 0
    /// The most there have been at once.
    var peak = 0
    /// The known limit.
    var limit = Int.max
  }

  /// - Parameters:
  ///   - start: starts a thread; false when there is none to be had.
  ///   - hasRoom: whether enough is left for the processes that steps start, where threads and they share a limit.
  package init(
    start: @escaping @Sendable (BareThread.Kind, @escaping @Sendable () -> Void) -> Bool,
    hasRoom: @escaping @Sendable () -> Bool = { true }
  ) {
    self.start = start
    self.hasRoom = hasRoom
  }

  /// Runs `work` on a thread of this quality of service; false when the system gives none.
  func run(_ quality: StepQueue, _ work: @escaping @Sendable () -> Void) -> Bool {
    let index = Pool.threads(quality).index
    let idle = state.withLock { state -> IdleThread? in
      if let thread = state.idle[index].popLast() { return thread }
      state.count += 1
      return nil
    }
    if let idle {
      idle.give(work)
      return true
    }
    if state.withLock({ $0.count }) > Self.fewest, !hasRoom() {
      state.withLock { $0.count -= 1 }
      return false
    }
    if start(.working(quality), { [self] in serve(index, first: work) }) { return true }
    state.withLock { state in
      state.count -= 1
      state.limit = max(1, state.count - Self.reserve)
    }
    return false
  }

  /// Starts two threads of the usual quality of service, where none waits: the first while a run is still being prepared, the
  /// second from the first.
  package func prepare() {
    let quality = StepQueue.usual(forDeferred: false)
    guard state.withLock({ $0.idle[Pool.threads(quality).index].isEmpty }) else { return }
    _ = run(quality) { [self] in _ = run(quality) {} }
  }

  /// Starts a thread of each other quality of service that steps before the gate name.
  package func prepare(for graph: WorkflowGraph) {
    guard graph.workflow.gate != nil else { return }
    var pools: [Pool] = []
    for step in graph.steps(stating: .queue) where !graph.workflow.steps[Int(step)].stated.contains(.deferral) {
      let name = graph.workflow.steps[Int(step)].options.queue
      guard let pool = name.flatMap(StepQueue.init(rawValue:)).map(Pool.threads), !pools.contains(pool),
        state.withLock({ $0.idle[pool.index].isEmpty })
      else { continue }
      pools.append(pool)
    }
    if pools.isEmpty { return }
    _ = run(.usual(forDeferred: false)) { [self, pools] in
      for quality in pools.compactMap(\.qualityOfService) { _ = run(quality) {} }
    }
  }

  /// The most threads there have been at once.
  var peak: Int { state.withLock { $0.peak } }

  /// A thread's life: work, and waiting for more.
  private func serve(_ index: Int, first: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.living += 1
      state.peak = max(state.peak, state.living)
    }
    defer { state.withLock { $0.living -= 1 } }
    var work = first
    let thread = IdleThread()
    while true {
      work()
      let stays = state.withLock { state in
        guard state.count <= state.limit else {
          state.count -= 1
          return false
        }
        state.idle[index].append(thread)
        return true
      }
      guard stays else { return }
      if let next = thread.wait(for: Self.idleTime) {
        work = next
        continue
      }
      let isGone = state.withLock { state in
        // Anyone who took it off the list has work for it.
        guard let position = state.idle[index].firstIndex(where: { $0 === thread }) else { return false }
        state.idle[index].remove(at: position)
        state.count -= 1
        // What the system did not give once it may give later.
        state.limit = .max
        return true
      }
      if isGone { return }
      work = thread.take()
    }
  }
}

/// A thread that waits for work.
private final class IdleThread: Sendable {
  private let work = Mutex<(@Sendable () -> Void)?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  func give(_ work: @escaping @Sendable () -> Void) {
    self.work.withLock { $0 = work }
    semaphore.signal()
  }

  /// The work that comes within this time; nil: none.
  func wait(for time: DispatchTimeInterval) -> (@Sendable () -> Void)? {
    guard semaphore.wait(timeout: .now() + time) == .success else { return nil }
    return takeGiven()
  }

  /// The work that is on its way.
  func take() -> @Sendable () -> Void {
    semaphore.wait()
    return takeGiven()
  }

  private func takeGiven() -> @Sendable () -> Void {
    work.withLock { work in
      defer { work = nil }
      return work!
    }
  }
}
