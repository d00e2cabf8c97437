import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSystem
import Synchronization

/// The job arrays of a run. It submits arrays, watches for allocations, and assigns these to items.
///
/// One call asks the engine about all arrays. While nothing changes, the calls become less frequent.
final class JobArrays: Sendable {
  let engine: ArrayEngine
  private let slots: Int
  private let state = Mutex(State())

  private struct State {
    var book: ArrayBook?
    /// The items that were announced before the id of the run was known.
    var expected: [(items: [Int], step: StepID, atOnce: Int)] = []
    var isWatched = false
    var isClosed = false
    /// Shortens the pause before the next call to the engine.
    var wake: OneShot<Void>?
    var release: LastCommand?
    var watch: Task<Void, Never>?
    /// The pauses between attempts to submit while the engine temporarily refuses, and the earliest time of the next
    /// attempt.
    var pauses: GrowingPauses?
    var nextSubmission = ContinuousClock.now
    /// The names of arrays that the engine may have accepted although their job numbers were not received.
    var unconfirmed: Set<String> = []
  }

  /// The time for which requests for tasks are collected before they are submitted together.
  private static let gathering = Duration.milliseconds(50)
  /// The shortest and longest pause between two calls to the engine.
  private static let pauses = (first: Duration.milliseconds(250), longest: Duration.seconds(3))

  init(_ engine: ArrayEngine, slots: Int) {
    self.engine = engine
    self.slots = slots
  }

  /// Records the items of a step that will run soon, so that their tasks can be submitted in advance.
  func expect(_ items: [Int], of step: StepID, atOnce: Int) {
    state.withLock { state in
      if state.book == nil { state.expected.append((items, step, atOnce)) }
      state.book?.expect(items, of: step, atOnce: atOnce)
    }
  }

  /// The task, with its allocation, in which an attempt of an item runs.
  struct Place: Sendable {
    var start: WorkerStart
    var task: ArrayTask
    /// The name of the task's array.
    var name: String
    fileprivate var claim: Int
  }

  /// Waits until an item's task has an allocation, and returns the task with the start of its worker. The caller must
  /// call ``end(_:)`` afterwards. Throws an ``ExecutorLost`` if the executor is closed or no job for the item starts in
  /// time.
  func place(
    _ item: (step: StepID, index: Int), attempt: Int, _ request: MachineResources, run: String, result: ResultFile?
  ) async throws -> Place {
    let ticket = OneShot<ArrayBook.Grant>()
    let claim = state.withLock { state -> Int? in
      if state.isClosed { return nil }
      if state.book == nil {
        state.book = ArrayBook(run: run, slots: slots, indices: engine.indices)
        for next in state.expected { state.book?.expect(next.items, of: next.step, atOnce: next.atOnce) }
      }
      let claim = state.book?.claim(item.step, item.index, attempt: attempt, request, ticket)
      state.wake?.finish(())
      if !state.isWatched {
        state.isWatched = true
        state.watch = Task.detached { await self.watch() }
      }
      return claim
    }
    guard let claim else { throw ExecutorLost("the executor is closed", isFinal: true) }
    let alarm = Task.detached { [wait = engine.wait] in
      try? await Task.sleep(for: wait)
      let text = "no job for it started within \(DurationText.format(wait))"
      if !Task.isCancelled { ticket.finish(.lost(ExecutorLost(text))) }
    }
    defer { alarm.cancel() }
    let grant = await withTaskCancellationHandler {
      await ticket.wait()
    } onCancel: {
      ticket.finish(.cancelled)
    }
    switch grant {
    case .task(let task, let job, let name):
      return Place(start: engine.start(task, job, name, request, result), task: task, name: name, claim: claim)
    case .lost(let lost):
      await end(claim)
      throw lost
    case .cancelled:
      await end(claim)
      throw CancellationError()
    }
  }

  /// Ends the attempt that ran in `place`, so that its task is cancelled if necessary.
  func end(_ place: Place) async { await end(place.claim) }

  private func end(_ claim: Int) async {
    let cancelled = state.withLock { state in
      state.wake?.finish(())
      return state.book?.end(claim)
    }
    guard let cancelled else { return }
    _ = try? await DetachedThread.run { [engine] in engine.cancel([cancelled]) }
  }

  /// True if an item waits for the allocation of its task.
  var isAwaiting: Bool { state.withLock { $0.book?.isAwaiting ?? false } }

  /// Ends all requests and cancels the remaining tasks. Tasks that have run their item get some time to end without
  /// being cancelled.
  func close() async {
    let (orders, watch) = state.withLock { state in
      state.isClosed = true
      state.wake?.finish(())
      return (state.book?.closeAll() ?? ArrayBook.Orders(), state.watch)
    }
    await watch?.value
    _ = try? await DetachedThread.run { self.carryOut(orders) }
    let limit = ContinuousClock.now + Self.closing
    while !left.isEmpty, .now < limit {
      _ = try? await DetachedThread.run { self.askForRest() }
      if !left.isEmpty { try? await Task.sleep(for: Self.pauses.first) }
    }
    let release = state.withLock { state in
      defer { state.release = nil }
      return state.release
    }
    // An array whose number was not received can be found only by its comment.
    if left.isEmpty, state.withLock({ $0.unconfirmed.isEmpty }) { release?.drop() } else { release?.run() }
  }

  /// The maximum time for tasks that have run their item to end before they are cancelled.
  private static let closing = Duration.seconds(4)

  private var left: [Int] { state.withLock { $0.book?.liveArrays ?? [] } }

  /// Updates the list of remaining tasks, and cancels those that were submitted while the executor was being closed.
  private func askForRest() {
    let arrays = left
    guard let listing = try? engine.list(arrays) else { return }
    let orders = state.withLock { state in
      _ = state.book?.takeIn(listing, of: arrays, at: .now)
      return state.book?.closeAll() ?? ArrayBook.Orders()
    }
    _ = carryOut(orders)
  }

  private func watch() async {
    var pause = Self.pauses.first
    while true {
      try? await Task.sleep(for: Self.gathering)
      if state.withLock({ $0.isClosed }) { return }
      let hasChanged = (try? await DetachedThread.run { self.look() }) ?? false
      let wake = OneShot<Void>()
      let isOver = state.withLock { state in
        if state.isClosed { return true }
        state.wake = wake
        guard state.book?.isEmpty ?? true else { return false }
        state.isWatched = false
        return true
      }
      if isOver { return }
      pause = hasChanged ? Self.pauses.first : min(pause * 3 / 2, Self.pauses.longest)
      let alarm = Task.detached { [pause] in
        try? await Task.sleep(for: pause)
        wake.finish(())
      }
      await wake.wait()
      alarm.cancel()
    }
  }

  /// Submits requested batches and updates the tasks from the engine's list. Returns true if anything has changed.
  private func look() -> Bool {
    var hasChanged = submit()
    let arrays = state.withLock { $0.book?.liveArrays ?? [] }
    guard !arrays.isEmpty, let listing = try? engine.list(arrays) else { return hasChanged }
    let orders = state.withLock { $0.book?.takeIn(listing, of: arrays, at: .now) ?? ArrayBook.Orders() }
    hasChanged = carryOut(orders) || hasChanged
    return hasChanged
  }

  private func submit() -> Bool {
    if state.withLock({ ContinuousClock.now < $0.nextSubmission }) { return false }
    let batches = state.withLock { $0.book?.batches() ?? [] }
    if !batches.isEmpty, state.withLock({ $0.release == nil }) {
      let release = try? LastCommand(engine.release, environment: engine.environment)
      state.withLock { $0.release = release }
    }
    for (batch, step, first) in batches {
      if state.withLock({ $0.isClosed }) { return true }
      let (known, mayExist) = state.withLock { ($0.book?.liveArrays ?? [], $0.unconfirmed.contains(batch.name)) }
      do throws(ExecutorProblem) {
        let array = try engine.submit(batch, known, mayExist)
        state.withLock { state in
          state.book?.submitted(batch, of: step, first: first, as: array)
          state.unconfirmed.remove(batch.name)
          state.pauses = nil
        }
      } catch {
        if error.isPassing, postpone(batch, of: step, first: first, error.message) { continue }
        let orders = state.withLock {
          $0.book?.refused(batch, of: step, first: first, error.message) ?? ArrayBook.Orders()
        }
        _ = carryOut(orders)
      }
    }
    return !batches.isEmpty
  }

  /// Schedules another attempt to submit a batch. Returns false if the engine has refused it for too long.
  private func postpone(_ batch: ArrayBatch, of step: StepID, first: Int, _ problem: String) -> Bool {
    let (isPostponed, isFirst) = state.withLock { state in
      let isFirst = state.pauses == nil
      var pauses = state.pauses ?? GrowingPauses(limit: engine.patience, from: .now)
      state.unconfirmed.insert(batch.name)
      // Another batch of this round has already been refused, so this one waits for the same pause.
      if state.nextSubmission > .now {
        state.book?.postponed(batch, of: step, first: first)
        return (true, false)
      }
      guard let pause = pauses.next(at: .now) else {
        state.pauses = nil
        return (false, false)
      }
      state.pauses = pauses
      state.nextSubmission = .now + pause
      state.book?.postponed(batch, of: step, first: first)
      return (true, isFirst)
    }
    if isFirst { engine.tell("a job array is submitted again: \(problem)") }
    return isPostponed
  }

  private func carryOut(_ orders: ArrayBook.Orders) -> Bool {
    for (ticket, grant) in orders.grants { ticket.finish(grant) }
    if !orders.cancelled.isEmpty { engine.cancel(orders.cancelled) }
    for (array, atOnce) in orders.limits { engine.limit(array, atOnce) }
    return !orders.grants.isEmpty || !orders.cancelled.isEmpty
  }
}
