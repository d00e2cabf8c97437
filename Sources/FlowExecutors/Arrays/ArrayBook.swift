import FlowModel
import FlowPluginKit

/// Assigns the items of fan-outs to the tasks of job arrays. A value that does not call the engine.
///
/// A task belongs to the item with the same index. A repeated item gets another task, in an array that contains only
/// repeated items.
struct ArrayBook {
  /// The result of waiting for a task.
  enum Grant: Sendable {
    /// The task has an allocation, which is the job with this number.
    case task(ArrayTask, job: Int, name: String)
    case lost(ExecutorLost)
    case cancelled
  }

  /// An attempt of an item that has a task or waits for one.
  struct Claim {
    var step: StepID
    var item: Int
    var attempt: Int
    var request: MachineResources
    var ticket: OneShot<Grant>
    var task: ArrayTask?
    /// True if the attempt's task has an allocation.
    var isPlaced = false
  }

  private struct SubmittedTask {
    var step: StepID
    var item: Int
    var name: String
    var request: MachineResources
    var claim: Int?
    /// True if the task was used by an attempt or lost, so that no attempt may use it.
    var isSpent = false
    /// The instant at which the task was first seen with an allocation but no attempt. Otherwise nil.
    var idleSince: ContinuousClock.Instant?
  }

  private struct Submission {
    /// The maximum number of concurrent tasks: `usual` as submitted, `limit` as currently set.
    var usual: Int
    var limit: Int
    /// The instant at which the last attempt stopped using or awaiting a task of the array, or nil while an attempt
    /// uses or awaits one.
    var unusedSince: ContinuousClock.Instant?
  }

  /// The actions that the owner must perform: tasks to cancel, limits to change, and results to deliver.
  struct Orders {
    var cancelled: [String] = []
    var limits: [(array: Int, atOnce: Int)] = []
    var grants: [(OneShot<Grant>, Grant)] = []
  }

  /// The maximum time for which a task keeps its allocation without a body, and for which an unused array keeps its
  /// tasks in the queue.
  static let patience = Duration.seconds(10)

  /// The maximum number of concurrent tasks of an array. It keeps the engine's list of running tasks below 64 KiB.
  private static let mostAtOnce = 1000
  private let mostIndices: Int
  private let slots: Int
  private let prefix: String
  private var claims: [Int: Claim] = [:]
  private var lastClaim = 0
  private var expected: [StepID: (items: Set<Int>, atOnce: Int)] = [:]
  private var tasks: [ArrayTask: SubmittedTask] = [:]
  /// The tasks that have not been used, by step and item.
  private var open: [StepID: [Int: ArrayTask]] = [:]
  private var arrays: [Int: Submission] = [:]
  /// The steps for which the engine has refused an array with items that are not running.
  private var isRefused: Set<StepID> = []
  private var hasSubmitted: Set<StepID> = []

  /// - Parameters:
  ///   - run: The prefix of the names of arrays.
  ///   - slots: The maximum number of concurrent bodies.
  ///   - indices: The maximum number of indices in an array.
  init(run: String, slots: Int, indices: Int) {
    prefix = run
    self.slots = slots
    mostIndices = max(1, indices)
  }

  /// True if no attempt is running or waiting, and no task is left.
  var isEmpty: Bool { claims.isEmpty && tasks.isEmpty }
  var liveArrays: [Int] { arrays.keys.sorted() }
  /// True if an attempt waits for the allocation of its task.
  var isAwaiting: Bool { claims.values.contains { !$0.isPlaced } }

  /// Records the items of a step that will run soon, so that their tasks can be submitted in advance.
  mutating func expect(_ items: [Int], of step: StepID, atOnce: Int) { expected[step] = (Set(items), atOnce) }

  /// Requests a task for an attempt of an item. Returns a number that identifies the request.
  mutating func claim(
    _ step: StepID, _ item: Int, attempt: Int, _ request: MachineResources, _ ticket: OneShot<Grant>
  ) -> Int {
    lastClaim += 1
    var claim = Claim(step: step, item: item, attempt: attempt, request: request, ticket: ticket)
    // A task whose earlier attempt has not ended is not available, because its worker may still be closing.
    if let task = open[step]?[item], let entry = tasks[task], entry.claim == nil, entry.request == request {
      claim.task = task
      tasks[task]?.claim = lastClaim
      tasks[task]?.idleSince = nil
    }
    expected[step]?.items.remove(item)
    claims[lastClaim] = claim
    return lastClaim
  }

  /// Ends an attempt or its request for a task. Returns the task to cancel, or nil if there is none or if its worker
  /// runs it.
  mutating func end(_ number: Int) -> String? {
    guard let claim = claims.removeValue(forKey: number) else { return nil }
    claim.ticket.finish(.cancelled)
    guard let task = claim.task, tasks[task] != nil else { return nil }
    tasks[task]?.claim = nil
    tasks[task]?.isSpent = true
    if open[claim.step]?[claim.item] == task { open[claim.step]?[claim.item] = nil }
    return claim.isPlaced ? nil : task.text
  }

  /// Returns the batches to submit now. Each contains items of a step that were requested with the same resources. The
  /// first batches of a step also contain its expected items, for which the same resources are assumed.
  mutating func batches() -> [(batch: ArrayBatch, step: StepID, first: Int)] {
    struct Key: Hashable {
      var step: StepID
      var request: MachineResources
      var attempt: Int
      var part: Int
    }
    var items: [Key: Set<Int>] = [:]
    for claim in claims.values where claim.task == nil {
      let key = Key(step: claim.step, request: claim.request, attempt: claim.attempt, part: claim.item / mostIndices)
      items[key, default: []].insert(claim.item)
    }
    for key in items.keys.sorted(by: { ($0.attempt, $0.part) < ($1.attempt, $1.part) }) {
      // Repeated items are submitted alone. After a resume, even the first attempt may have a higher number.
      guard key.attempt == 1 || !hasSubmitted.contains(key.step), !isRefused.contains(key.step),
        let others = expected[key.step]?.items
      else { continue }
      let part = others.filter { $0 / mostIndices == key.part }
      items[key]?.formUnion(part)
      expected[key.step]?.items.subtract(part)
    }
    return items.sorted { ($0.key.step, $0.key.attempt, $0.key.part) < ($1.key.step, $1.key.attempt, $1.key.part) }.map
    {
      key, items in
      let first = key.part * mostIndices
      let name = "\(prefix).\(key.step).\(key.attempt)\(first > 0 ? "+\(first)" : "")"
      let atOnce = min(slots, expected[key.step]?.atOnce ?? slots, items.count, Self.mostAtOnce)
      let batch = ArrayBatch(
        name: name, request: key.request, indices: items.map { $0 - first }.sorted(), atOnce: max(1, atOnce))
      return (batch, key.step, first)
    }
  }

  mutating func submitted(_ batch: ArrayBatch, of step: StepID, first: Int, as array: Int) {
    arrays[array] = Submission(usual: batch.atOnce, limit: batch.atOnce)
    hasSubmitted.insert(step)
    for index in batch.indices {
      let task = ArrayTask(array: array, index: index)
      tasks[task] = SubmittedTask(step: step, item: first + index, name: batch.name, request: batch.request)
      open[step, default: [:]][first + index] = task
    }
    for (number, claim) in claims where claim.step == step && claim.task == nil && claim.request == batch.request {
      guard let task = open[step]?[claim.item], task.array == array else { continue }
      claims[number]?.task = task
      tasks[task]?.claim = number
    }
  }

  /// Records that a batch was refused. If it contained expected items, from then on the step's items are submitted
  /// only when they run. Otherwise, the requested items are lost.
  mutating func refused(_ batch: ArrayBatch, of step: StepID, first: Int, _ problem: String) -> Orders {
    var orders = Orders()
    let wanted = claims.filter { claim in
      claim.value.step == step && claim.value.task == nil && claim.value.request == batch.request
        && batch.indices.contains(claim.value.item - first)
    }
    if wanted.count < batch.indices.count {
      isRefused.insert(step)
      return orders
    }
    for number in wanted.keys { lose(number, problem, &orders) }
    return orders
  }

  /// Records that a batch cannot be submitted now. Its items remain requested or expected.
  mutating func postponed(_ batch: ArrayBatch, of step: StepID, first: Int) {
    let wanted = Set(claims.values.lazy.filter { $0.step == step && $0.task == nil }.map(\.item))
    guard expected[step] != nil else { return }
    expected[step]?.items.formUnion(batch.indices.map { $0 + first }.filter { !wanted.contains($0) })
  }

  private mutating func lose(_ number: Int, _ problem: String, _ orders: inout Orders) {
    guard let claim = claims[number], !claim.isPlaced else { return }
    orders.grants.append((claim.ticket, .lost(ExecutorLost(problem))))
    claims[number] = nil
  }

  /// Updates tasks and arrays from the engine's list of unfinished tasks. `asked` are the arrays that the list covers.
  mutating func takeIn(_ listing: ArrayListing, of asked: [Int], at now: ContinuousClock.Instant) -> Orders {
    var orders = Orders()
    for (task, entry) in tasks where asked.contains(task.array) {
      if let job = listing.running[task] {
        if let number = entry.claim, let claim = claims[number], !claim.isPlaced {
          claims[number]?.isPlaced = true
          orders.grants.append((claim.ticket, .task(task, job: job, name: entry.name)))
        } else if entry.claim == nil {
          takeInIdle(task, entry, at: now, &orders)
        }
      } else if !listing.waiting.contains(task) {
        if listing.ending.contains(task), entry.claim.map({ claims[$0]?.isPlaced ?? true }) ?? true { continue }
        forget(task, &orders)
      }
    }
    for array in asked { takeInUse(of: array, listing, at: now, &orders) }
    return orders
  }

  private mutating func takeInIdle(
    _ task: ArrayTask, _ entry: SubmittedTask, at now: ContinuousClock.Instant, _ orders: inout Orders
  ) {
    guard let since = entry.idleSince else {
      tasks[task]?.idleSince = now
      return
    }
    guard now - since >= Self.patience else { return }
    orders.cancelled.append(task.text)
    tasks[task]?.idleSince = now
    close(task, entry)
    // Without a lower limit, Slurm would start the next task, which has no attempt either.
    let used = max(1, tasks.count { $0.key.array == task.array && $0.value.claim != nil })
    if let array = arrays[task.array], array.limit > used, !entry.isSpent {
      arrays[task.array]?.limit = used
      orders.limits.append((task.array, used))
    }
  }

  /// Makes a task unavailable for other attempts. If no attempt has the task, its item is expected again.
  private mutating func close(_ task: ArrayTask, _ entry: SubmittedTask) {
    guard open[entry.step]?[entry.item] == task else { return }
    open[entry.step]?[entry.item] = nil
    tasks[task]?.isSpent = true
    if entry.claim == nil, expected[entry.step] != nil { expected[entry.step]?.items.insert(entry.item) }
  }

  private mutating func forget(_ task: ArrayTask, _ orders: inout Orders) {
    guard let entry = tasks[task] else { return }
    close(task, entry)
    tasks[task] = nil
    if let number = entry.claim {
      lose(number, "job \(task.text) of \(entry.name) ended before its worker started", &orders)
    }
  }

  private mutating func takeInUse(
    of number: Int, _ listing: ArrayListing, at now: ContinuousClock.Instant, _ orders: inout Orders
  ) {
    guard let array = arrays[number] else { return }
    let entries = tasks.filter { $0.key.array == number }
    if entries.isEmpty {
      arrays[number] = nil
      return
    }
    let used = entries.count { $0.value.claim != nil }
    if used > 0 {
      arrays[number]?.unusedSince = nil
      if used > array.limit, array.limit < array.usual {
        arrays[number]?.limit = array.usual
        orders.limits.append((number, array.usual))
      }
    } else if let since = array.unusedSince {
      guard now - since >= Self.patience else { return }
      arrays[number]?.unusedSince = now
      orders.cancelled.append("\(number)")
      for (task, entry) in entries { close(task, entry) }
    } else {
      arrays[number]?.unusedSince = now
    }
  }

  /// Ends all requests that wait for an allocation, and returns the tasks to cancel. Tasks that have run their item end
  /// without being cancelled.
  mutating func closeAll() -> Orders {
    var orders = Orders()
    for (number, claim) in claims where !claim.isPlaced {
      orders.grants.append((claim.ticket, .lost(ExecutorLost("the executor is closed", isFinal: true))))
      claims[number] = nil
      if let task = claim.task { tasks[task]?.claim = nil }
    }
    let used = Set(tasks.filter { $0.value.isSpent || $0.value.claim != nil }.map(\.key.array))
    orders.cancelled = liveArrays.filter { !used.contains($0) }.map { "\($0)" }
    for (task, entry) in tasks where used.contains(task.array) && !entry.isSpent && entry.claim == nil {
      orders.cancelled.append(task.text)
    }
    return orders
  }
}
