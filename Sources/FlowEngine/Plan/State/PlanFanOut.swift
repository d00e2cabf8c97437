import FlowModel

/// The items of a step with `foreach`, once they are known.
///
/// Users see an item as the step's id with an index, such as `convert[3]`. The engine gives each item a number after
/// those of all steps (its *instance*), so that timers, attempts and bodies refer to steps and items by one kind of
/// index.
struct PlanFanOut: Sendable {
  let step: StepIndex
  /// The instance of the first item. The instances of the other items follow it.
  let firstInstance: StepIndex
  /// The maximum number of items that run at once.
  let width: Int
  /// A hash of each item. A resumed run uses it to detect that the item at an index has changed.
  private(set) var hashes: [UInt64]
  /// The index of the event whose posts add items, or nil if all items are known when the step begins.
  let event: Int?
  /// The level of detail at which the items' events are recorded. A plan that records less overrides it.
  let detail: RunDetail
  /// The state of each item. A new item is `waiting`, and an item after its pause is `queued`. An item that a post
  /// added is `deciding` until its `if` has been evaluated.
  var states: [StepState]
  /// The number of leading items for which the plan has decided whether they run.
  private(set) var admitted: Int
  /// The lowest index of an item that was never started.
  var next = 0
  /// The items that are ready for another attempt, because their pause is over.
  var again = Heap<Int>()
  /// The number of running bodies, including those that were asked to end and have not returned.
  var occupied = 0
  var running = 0
  var retrying = 0
  var holding = 0
  /// The number of items from posts whose `if` is being evaluated.
  var deciding = 0
  var unsettled: Int
  /// The number of items that failed or timed out, or 0 if the step is optional.
  var failed = 0
  var hasOptionalFailure = false

  init(
    _ step: StepIndex, firstInstance: StepIndex, width: Int, hashes: [UInt64], event: Int? = nil,
    detail: RunDetail = .full
  ) {
    self.step = step
    self.firstInstance = firstInstance
    self.width = width
    self.hashes = hashes
    self.event = event
    self.detail = detail
    admitted = hashes.count
    states = Array(repeating: StepState(), count: hashes.count)
    unsettled = hashes.count
  }

  var instances: Range<StepIndex> { firstInstance..<firstInstance + StepIndex(states.count) }

  /// The number of instances reserved for the fan-out. Further posts add no items.
  var capacity: Int { event == nil ? states.count : max(states.count, Limits.events) }

  /// The next item to start, or nil if no item is ready or `width` bodies are already running.
  var startable: Int? {
    guard occupied < width else { return nil }
    return again.first ?? (next < admitted ? next : nil)
  }

  /// The number of items that could start now if only the fan-out's own width limited them.
  var startableCount: Int { max(0, min(width - occupied, unsettled - running - retrying - holding - deciding)) }

  mutating func takeNext() -> Int? {
    guard let item = startable else { return nil }
    if again.first == item { again.removeFirst() } else { skipFinished(from: item + 1) }
    return item
  }

  mutating func move(_ item: Int, to status: StepStatus) {
    count(states[item].status, by: -1)
    states[item].status = status
    count(status, by: 1)
  }

  private mutating func count(_ status: StepStatus, by change: Int) {
    switch status {
    case .running: running += change
    case .retrying: retrying += change
    case .holding: holding += change
    case .deciding: deciding += change
    case .done: unsettled -= change
    case .waiting, .held, .queued: break
    }
  }

  /// Sets `next` to the first unfinished item at or after `item`.
  mutating func skipFinished(from item: Int) {
    next = item
    while next < admitted, states[next].status == .done { next += 1 }
  }

  /// Adds an item for a post that arrived at `time` and returns its index. Its `if` is evaluated first.
  mutating func addPost(at time: Int) -> Int {
    var state = StepState()
    (state.status, state.readyAt) = (.deciding, time)
    states.append(state)
    hashes.append(UInt64(states.count))
    deciding += 1
    unsettled += 1
    return states.count - 1
  }

  /// Makes items startable once their `if`, and those of all items before them, have been evaluated.
  mutating func admit() {
    while admitted < states.count, states[admitted].status != .deciding { admitted += 1 }
    skipFinished(from: next)
  }

  /// True if all current items have finished and more posts may follow.
  var isWaitingForPosts: Bool { event != nil && unsettled == 0 }

  /// The status of the step, derived from its items.
  var status: StepStatus {
    if startable != nil { return .queued }
    if running > 0 { return .running }
    if holding > 0 { return .holding }
    if retrying > 0 { return .retrying }
    if deciding > 0 { return .deciding }
    return isWaitingForPosts ? .held : .running
  }
}

/// All fan-outs of a run, in order of their instances.
struct FanOutTable: Sendable {
  private(set) var list: [PlanFanOut] = []
  private var indices: [StepIndex: Int] = [:]
  /// The fan-outs that follow an event, by the event's index.
  private var followers: [Int: [Int]] = [:]
  /// The steps whose items are being determined.
  private var expanding: Set<StepIndex> = []
  /// The steps whose items a thread is determining outside the run's lock.
  var surveyed: Set<StepIndex> = []
  /// The steps whose items have been announced to their executor.
  var expected: Set<StepIndex> = []
  /// The items that a resumed run has read from the journal, by step.
  var recalled: [StepIndex: RecalledFanOut] = [:]
  /// True if an item of an optional step failed or timed out.
  var hasOptionalFailure: Bool { list.contains(where: \.hasOptionalFailure) }

  var isEmpty: Bool { list.isEmpty }

  subscript(index: Int) -> PlanFanOut {
    get { list[index] }
    _modify { yield &list[index] }
  }

  /// Returns the index of a step's fan-out, or nil if its items are not known yet.
  func index(of step: StepIndex) -> Int? { indices[step] }

  func isExpanded(_ step: StepIndex) -> Bool { indices[step] != nil }

  /// Returns the fan-out of an instance, and the index of the item.
  func fanOutItem(of instance: StepIndex) -> (fanOut: Int, item: Int) {
    var (low, high) = (0, list.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if list[middle].firstInstance <= instance { low = middle } else { high = middle }
    }
    return (low, Int(instance - list[low].firstInstance))
  }

  mutating func beginExpanding(_ step: StepIndex) { expanding.insert(step) }

  func isExpanding(_ step: StepIndex) -> Bool { expanding.contains(step) }

  /// Ends the expansion of a step. Returns false if its items were not being determined.
  mutating func endExpanding(_ step: StepIndex) -> Bool {
    surveyed.remove(step)
    return expanding.remove(step) != nil
  }

  mutating func add(_ fanOut: PlanFanOut) -> Int {
    indices[fanOut.step] = list.count
    if let event = fanOut.event { followers[event, default: []].append(list.count) }
    list.append(fanOut)
    return list.count - 1
  }

  /// Removes a step's fan-out, so that its items are determined again.
  mutating func forget(_ step: StepIndex) {
    indices[step] = nil
    expanding.remove(step)
  }

  /// Returns the fan-outs that follow an event, or any event if `event` is nil.
  func following(_ event: Int? = nil) -> [Int] {
    guard !followers.isEmpty else { return [] }
    let all = event.map { followers[$0] ?? [] } ?? followers.values.flatMap { $0 }
    return all.filter { indices[list[$0].step] == $0 }
  }

  func nextInstance(behind steps: Int) -> StepIndex {
    list.last.map { $0.firstInstance + StepIndex($0.capacity) } ?? StepIndex(steps)
  }
}
