import FlowModel

/// A step that runs once for each of several items, once these are known.
///
/// An item is named by the step and its index where people read it, `convert[3]`, and by an *instance* everywhere in
/// the engine: an index beyond those of the steps, so that timers, attempts and bodies name items as they name steps.
struct PlanFanOut: Sendable {
  let step: StepIndex
  /// The instance of its first item; those of the others follow.
  let firstInstance: StepIndex
  /// The number of items that run at once at most.
  let width: Int
  /// What distinguishes each item from what was at its index in another process.
  private(set) var hashes: [UInt64]
  /// The event of whose posts the items are, by its index in the plan; nil: they are all known from the beginning.
  let event: Int?
  /// How much is reported of each item, if the plan reports this much of steps.
  let detail: RunDetail
  /// The items, as the states of steps: `deciding`, `waiting`, `running`, `retrying`, `holding`, `queued` behind a pause,
  /// `done`.
  var states: [StepState]
  /// Of all items before this one it is known whether they run.
  private(set) var admitted: Int
  /// No item from here on has been started.
  var next = 0
  /// Items behind a pause that may start again.
  var again = Heap<Int>()
  /// Bodies of items: those that run, and those that were asked to end and have not returned.
  var occupied = 0
  var running = 0
  var retrying = 0
  var holding = 0
  /// Posts of which it is being asked whether the step runs for them.
  var deciding = 0
  var unsettled: Int
  /// Items that failed or timed out and are not optional.
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

  /// The items' instances.
  var instances: Range<StepIndex> { firstInstance..<firstInstance + StepIndex(states.count) }

  /// The most items there can be; instances are reserved for them.
  var capacity: Int { event == nil ? states.count : max(states.count, Limits.events) }

  /// The item that may start next; nil: there is none, or no room for it.
  var startable: Int? {
    guard occupied < width else { return nil }
    return again.first ?? (next < admitted ? next : nil)
  }

  /// The number of items that could start now, as far as the step itself goes.
  var startableCount: Int { max(0, min(width - occupied, unsettled - running - retrying - holding - deciding)) }

  /// Takes the item that starts next off the list.
  mutating func takeNext() -> Int? {
    guard let item = startable else { return nil }
    if again.first == item { again.removeFirst() } else { skipFinished(from: item + 1) }
    return item
  }

  /// Takes an item from the status it has to another, and keeps the counts true.
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

  /// Goes past items that are over before anybody started them.
  mutating func skipFinished(from item: Int) {
    next = item
    while next < admitted, states[next].status == .done { next += 1 }
  }

  /// Adds an item for the next post, which came at `time`: whether the step runs for it is asked first. Gives its index.
  mutating func addPost(at time: Int) -> Int {
    var state = StepState()
    (state.status, state.readyAt) = (.deciding, time)
    states.append(state)
    hashes.append(UInt64(states.count))
    deciding += 1
    unsettled += 1
    return states.count - 1
  }

  /// Lets the items go of which it has become known whether they run.
  mutating func admit() {
    while admitted < states.count, states[admitted].status != .deciding { admitted += 1 }
    skipFinished(from: next)
  }

  /// How items ended that are over.
  func finished(_ items: ArraySlice<StepIndex>) -> [FinishedEntry] {
    items.map {
      FinishedEntry(TaskInstance(step, item: Int($0)), states[Int($0)], states[Int($0)].outcome ?? .cancelled)
    }
  }

  /// Whether all there is to do waits for another post.
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

/// The steps of a run that run for several items, by step and by instance.
struct FanOutTable: Sendable {
  private(set) var list: [PlanFanOut] = []
  private var indices: [StepIndex: Int] = [:]
  /// The fan-outs whose items are the posts of an event, by the event's index.
  private var followers: [Int: [Int]] = [:]
  /// Steps whose items are being worked out.
  private var expanding: Set<StepIndex> = []
  /// Steps whose items are worked out from files, outside the run's lock.
  var surveyed: Set<StepIndex> = []
  /// Steps whose items their executor knows.
  var expected: Set<StepIndex> = []
  /// What a run that continues knows of items from before.
  var recalled: [StepIndex: RecalledFanOut] = [:]
  /// Whether an item failed that is optional.
  var hasOptionalFailure: Bool { list.contains(where: \.hasOptionalFailure) }

  var isEmpty: Bool { list.isEmpty }

  subscript(index: Int) -> PlanFanOut {
    _read { yield list[index] }
    _modify { yield &list[index] }
  }

  /// The index of a step's fan-out; nil: its items are not known.
  func index(of step: StepIndex) -> Int? { indices[step] }

  /// Whether the items of a step are known.
  func isExpanded(_ step: StepIndex) -> Bool { indices[step] != nil }

  /// The fan-out of an instance, and the item it stands for.
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

  /// Whether the items of a step have been requested.
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

  /// Forgets the items of a step, which should be worked out again.
  mutating func forget(_ step: StepIndex) {
    indices[step] = nil
    expanding.remove(step)
  }

  /// The fan-outs whose items are the posts of an event; nil: of any.
  func following(_ event: Int? = nil) -> [Int] {
    guard !followers.isEmpty else { return [] }
    let all = event.map { followers[$0] ?? [] } ?? followers.values.flatMap { $0 }
    return all.filter { indices[list[$0].step] == $0 }
  }

  /// The instance that the next fan-out's first item may have.
  func nextInstance(behind steps: Int) -> StepIndex {
    list.last.map { $0.firstInstance + StepIndex($0.capacity) } ?? StepIndex(steps)
  }
}
