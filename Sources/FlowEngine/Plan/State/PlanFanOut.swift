import FlowModel

/// A step that runs once for each of several items, once these are known.
///
/// People see an item as the step's id and an index, `convert[3]`. The engine uses an *instance*: an index after those
/// of all steps, so timers, attempts and bodies refer to items and steps in the same way.
struct PlanFanOut: Sendable {
  let step: StepIndex
  /// The instance of the first item; the others follow.
  let firstInstance: StepIndex
  /// The maximum number of items that run at once.
  let width: Int
  /// A hash of each item, to detect a different item at the same index in another process.
  private(set) var hashes: [UInt64]
  /// The plan's index of the event whose posts are the items, or nil if all items are known from the beginning.
  let event: Int?
  /// The level of detail reported for each item, unless the plan reports less.
  let detail: RunDetail
  /// The items, with the states of steps: `deciding`, `waiting`, `running`, `retrying`, `holding`, `queued` after a
  /// pause, `done`.
  var states: [StepState]
  /// For all items before this index, it has been decided whether they run.
  private(set) var admitted: Int
  /// No item from this index on has been started.
  var next = 0
  /// The items that may start again after a pause.
  var again = Heap<Int>()
  /// The number of bodies of items that are running, including those that were asked to end and have not returned.
  var occupied = 0
  var running = 0
  var retrying = 0
  var holding = 0
  /// The number of posts whose `if` is being evaluated.
  var deciding = 0
  var unsettled: Int
  /// The number of failed or timed-out items that are not optional.
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

  /// The instances of the items.
  var instances: Range<StepIndex> { firstInstance..<firstInstance + StepIndex(states.count) }

  /// The maximum number of items; this many instances are reserved.
  var capacity: Int { event == nil ? states.count : max(states.count, Limits.events) }

  /// The item that may start next, or nil if there is none or the width is used up.
  var startable: Int? {
    guard occupied < width else { return nil }
    return again.first ?? (next < admitted ? next : nil)
  }

  /// The number of items that could start now, as far as the step's own width allows.
  var startableCount: Int { max(0, min(width - occupied, unsettled - running - retrying - holding - deciding)) }

  /// Removes and returns the next item to start.
  mutating func takeNext() -> Int? {
    guard let item = startable else { return nil }
    if again.first == item { again.removeFirst() } else { skipFinished(from: item + 1) }
    return item
  }

  /// Changes the status of an item and updates the counts.
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

  /// Skips items that finished before they were started.
  mutating func skipFinished(from item: Int) {
    next = item
    while next < admitted, states[next].status == .done { next += 1 }
  }

  /// Adds an item for a post that arrived at `time`, whose `if` is to be evaluated first. Returns its index.
  mutating func addPost(at time: Int) -> Int {
    var state = StepState()
    (state.status, state.readyAt) = (.deciding, time)
    states.append(state)
    hashes.append(UInt64(states.count))
    deciding += 1
    unsettled += 1
    return states.count - 1
  }

  /// Admits the items whose `if` has been evaluated.
  mutating func admit() {
    while admitted < states.count, states[admitted].status != .deciding { admitted += 1 }
    skipFinished(from: next)
  }

  /// The outcomes of finished items.
  func finished(_ items: ArraySlice<StepIndex>) -> [FinishedEntry] {
    items.map {
      FinishedEntry(TaskInstance(step, item: Int($0)), states[Int($0)], states[Int($0)].outcome ?? .cancelled)
    }
  }

  /// True if the step is only waiting for another post.
  var isWaitingForPosts: Bool { event != nil && unsettled == 0 }

  /// The state of the step, derived from its items.
  var status: StepStatus {
    if startable != nil { return .queued }
    if running > 0 { return .running }
    if holding > 0 { return .holding }
    if retrying > 0 { return .retrying }
    if deciding > 0 { return .deciding }
    return isWaitingForPosts ? .held : .running
  }
}

/// All fan-outs of a run, by step and by instance.
struct FanOutTable: Sendable {
  private(set) var list: [PlanFanOut] = []
  private var indices: [StepIndex: Int] = [:]
  /// The fan-outs whose items are the posts of an event, by the event's index.
  private var followers: [Int: [Int]] = [:]
  /// The steps whose items are being determined.
  private var expanding: Set<StepIndex> = []
  /// The steps whose items are determined from files, outside the run's lock.
  var surveyed: Set<StepIndex> = []
  /// The steps whose items are known to their executor.
  var expected: Set<StepIndex> = []
  /// The items of each step that a resumed run has recalled.
  var recalled: [StepIndex: RecalledFanOut] = [:]
  /// True if an optional item failed.
  var hasOptionalFailure: Bool { list.contains(where: \.hasOptionalFailure) }

  var isEmpty: Bool { list.isEmpty }

  subscript(index: Int) -> PlanFanOut {
    _read { yield list[index] }
    _modify { yield &list[index] }
  }

  /// The index of a step's fan-out, or nil if its items are not known yet.
  func index(of step: StepIndex) -> Int? { indices[step] }

  /// True if the items of a step are known.
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

  /// Ends the determination of a step's items. Returns false if none was requested.
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

  /// Removes the items of a step, so they will be determined again.
  mutating func forget(_ step: StepIndex) {
    indices[step] = nil
    expanding.remove(step)
  }

  /// Returns the fan-outs whose items are posts of this event, or of any event for nil.
  func following(_ event: Int? = nil) -> [Int] {
    guard !followers.isEmpty else { return [] }
    let all = event.map { followers[$0] ?? [] } ?? followers.values.flatMap { $0 }
    return all.filter { indices[list[$0].step] == $0 }
  }

  /// The instance of the next fan-out's first item.
  func nextInstance(behind steps: Int) -> StepIndex {
    list.last.map { $0.firstInstance + StepIndex($0.capacity) } ?? StepIndex(steps)
  }
}
