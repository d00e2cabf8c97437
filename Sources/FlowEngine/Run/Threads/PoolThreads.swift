import Dispatch
import FlowModel
import FlowPlatform
import Synchronization

/// The threads of the pools, which all runs of a process share: Dispatch's threads, which run the blocks of pool queues
/// (``PoolQueues``), and threads that flowrun creates, which end after being idle for a while.
///
/// A thread that flowrun creates replaces a pool queue if none is free or Dispatch has no thread for it. Linux has no
/// pool queues, because a launch takes longer with them there, and the niceness of their threads cannot be restored
/// (decision 4).
package final class PoolThreads: Sendable {
  /// The threads that all runs of this process use by default.
  package static let shared = PoolThreads(
    start: BareThread.start,
    // The limit is read before there are other threads, because the first write to a page interrupts all of them.
    hasRoom: { [limit = ProcessTable.limit] in ProcessTable.isHalfFree(of: limit) },
    queues: usualQueues)

  /// The pool queues of this process, or nil if all steps run on threads that flowrun creates.
  private static var usualQueues: PoolQueues? {
    #if canImport(Darwin)
      PoolQueues()
    #else
      nil
    #endif
  }

  /// The time after which an idle thread ends.
  private static let idleTime = DispatchTimeInterval.seconds(2)
  /// The number of threads that are released for other uses when the system refuses to create another one.
  private static let reserve = 4
  /// The number of threads that are started without checking the process limit.
  private static let fewest = 2

  private let start: @Sendable (BareThread.Kind, @escaping @Sendable () -> Void) -> Bool
  private let hasRoom: @Sendable () -> Bool
  private let queues: PoolQueues?
  private let state = Mutex(State())
  /// The executor that main-actor tasks use while they wait for a gate.
  let passing: any TaskExecutor = PassingExecutor()

  private struct State {
    /// The idle threads of all pools, beginning with the one that has been idle longest.
    var idle: [IdleThread] = []
    var count = 0
    /// The number of threads that are running.
    var living = 0
    /// The highest number of threads so far.
    var peak = 0
    /// The number of threads that the system allows, as observed when it last refused one.
    var limit = Int.max
  }

  /// Creates the threads of all pools.
  ///
  /// - Parameters:
  ///   - start: Starts a thread. Returns false if the system refuses to create it.
  ///   - hasRoom: Returns false if more threads would leave too few processes for the commands of steps. On some
  ///     systems, both count against one limit.
  ///   - queues: The pool queues, or nil to use none of Dispatch's threads.
  package init(
    start: @escaping @Sendable (BareThread.Kind, @escaping @Sendable () -> Void) -> Bool,
    hasRoom: @escaping @Sendable () -> Bool = { true }, queues: PoolQueues? = nil
  ) {
    self.start = start
    self.hasRoom = hasRoom
    self.queues = queues
  }

  /// Runs `work` on a thread of this quality of service. Returns false if there is no room for another thread, or if
  /// the system refuses to create it.
  ///
  /// - Parameter refusedLater: A closure that is called if this function has returned true and the system later refuses
  ///   the thread that would replace a late pool queue. It is called on a thread that must not wait.
  func run(
    _ quality: StepQueue, refusedLater: @escaping @Sendable () -> Void = {}, _ work: @escaping @Sendable () -> Void
  ) -> Bool {
    // Check the limit, because each block may need a new thread of Dispatch.
    if let queues, hasRoom() {
      let isQueued = queues.run(quality) { [self] in
        countLiving(1)
        defer { countLiving(-1) }
        work()
      } instead: { [self] in
        if !runOnOwnThread(quality, work) { refusedLater() }
      }
      if isQueued { return true }
    }
    return runOnOwnThread(quality, work)
  }

  private func runOnOwnThread(_ quality: StepQueue, _ work: @escaping @Sendable () -> Void) -> Bool {
    let index = Pool.threads(quality).index
    let idle = state.withLock { state -> IdleThread? in
      if let last = state.idle.lastIndex(where: { $0.pool == index }) { return state.idle.remove(at: last) }
      state.count += 1
      return nil
    }
    if let idle {
      idle.assign(work)
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

  /// Starts two threads of the default quality of service if none is idle. It is called before a run is prepared; the
  /// first thread starts the second. With pool queues, Dispatch starts the threads and keeps them for a while.
  package func prepare() {
    let quality = StepQueue.usual(forDeferred: false)
    guard !hasIdleThread(in: .threads(quality)) else { return }
    _ = run(quality) { [self] in _ = run(quality) {} }
  }

  /// Starts a thread for each quality of service that steps before the gate declare and that has no idle thread. Does
  /// nothing for a workflow without a gate.
  package func prepare(for graph: WorkflowGraph) {
    guard graph.workflow.gate != nil else { return }
    var pools = PoolSet()
    for step in graph.steps(stating: .queue) where !graph.workflow.steps[Int(step)].stated.contains(.deferral) {
      // `init(rawValue:)` searches an array of static strings, whose type the runtime would create.
      guard let name = graph.workflow.steps[Int(step)].options.queue,
        let pool = Pool.all.first(where: { $0.qualityOfService?.rawValue == name }), !pools.contains(pool),
        !hasIdleThread(in: pool)
      else { continue }
      pools.insert(pool)
    }
    if pools.isEmpty { return }
    _ = run(.usual(forDeferred: false)) { [self, pools] in
      for pool in Pool.all where pools.contains(pool) {
        if let quality = pool.qualityOfService { _ = run(quality) {} }
      }
    }
  }

  private func hasIdleThread(in pool: Pool) -> Bool {
    state.withLock { state in state.idle.contains { $0.pool == pool.index } }
  }

  /// The highest number of threads that have been running at the same time.
  var peak: Int { state.withLock { $0.peak } }

  private func countLiving(_ change: Int) {
    state.withLock { state in
      state.living += change
      state.peak = max(state.peak, state.living)
    }
  }

  /// The loop of a thread: works and waits for more work. Ends when it has been idle for ``idleTime``.
  private func serve(_ index: Int, first: @escaping @Sendable () -> Void) {
    countLiving(1)
    defer { countLiving(-1) }
    var work = first
    let thread = IdleThread(pool: index)
    while true {
      work()
      let stays = state.withLock { state in
        guard state.count <= state.limit else {
          state.count -= 1
          return false
        }
        state.idle.append(thread)
        return true
      }
      guard stays else { return }
      if let next = thread.wait(for: Self.idleTime) {
        work = next
        continue
      }
      let isGone = state.withLock { state in
        // If it is no longer in the list, it is about to receive work.
        guard let position = state.idle.firstIndex(where: { $0 === thread }) else { return false }
        state.idle.remove(at: position)
        state.count -= 1
        // The system may allow more threads now, so discard the observed limit.
        state.limit = .max
        return true
      }
      if isGone { return }
      work = thread.waitForWork()
    }
  }
}

private final class IdleThread: Sendable {
  /// The index of the pool.
  let pool: Int
  private let work = Mutex<(@Sendable () -> Void)?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  init(pool: Int) { self.pool = pool }

  func assign(_ work: @escaping @Sendable () -> Void) {
    self.work.withLock { $0 = work }
    semaphore.signal()
  }

  /// Returns the work that arrives within `time`, or nil if none arrives.
  func wait(for time: DispatchTimeInterval) -> (@Sendable () -> Void)? {
    guard semaphore.wait(timeout: .now() + time) == .success else { return nil }
    return removeWork()
  }

  /// Waits for work that is about to arrive, and returns it.
  func waitForWork() -> @Sendable () -> Void {
    semaphore.wait()
    return removeWork()
  }

  private func removeWork() -> @Sendable () -> Void {
    work.withLock { work in
      defer { work = nil }
      return work!
    }
  }
}
