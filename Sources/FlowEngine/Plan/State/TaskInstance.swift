import FlowModel

/// A step, or an item of a fan-out. Both have the same life cycle.
package struct TaskInstance: Sendable, Hashable {
  /// The step itself, or the step that the item belongs to.
  package var step: StepIndex
  /// The index of the item, or -1 for a step.
  private var number: StepIndex

  package init(_ step: StepIndex) { (self.step, number) = (step, -1) }

  package init(_ step: StepIndex, item: Int) { (self.step, number) = (step, StepIndex(item)) }

  /// The index of the item, or nil for a step.
  package var item: Int? { number < 0 ? nil : Int(number) }
}

/// A step or an item, with its position in the plan's tables, so that it is looked up only once per event.
struct PlanTask: Sendable {
  /// The index used by timers, attempts, effects and threads. Items are numbered after all steps.
  let index: StepIndex
  /// The step. For an item, the step that it belongs to.
  let step: StepIndex
  /// The index of the item, or 0 for a step.
  let item: Int
  /// The index of the item's fan-out in the plan's table, or -1 for a step.
  let fanOut: Int

  @inline(__always)
  var isItem: Bool { fanOut >= 0 }

  /// The task in the form that the journal stores.
  var instance: TaskInstance { isItem ? TaskInstance(step, item: item) : TaskInstance(step) }
}

extension PlanTask {
  @inline(__always)
  init(_ step: StepIndex) { self.init(index: step, step: step, item: 0, fanOut: -1) }
}

extension FanOutTable {
  /// Returns the task of an item.
  func task(_ item: Int, of fanOut: Int) -> PlanTask {
    PlanTask(index: self[fanOut].firstInstance + StepIndex(item), step: self[fanOut].step, item: item, fanOut: fanOut)
  }

  @inline(never)
  fileprivate func task(_ index: StepIndex) -> PlanTask {
    let (fanOut, item) = fanOutItem(of: index)
    return task(item, of: fanOut)
  }
}

// Methods that only read are inlined: a call would copy the plan and retain each of its parts.
extension Plan {
  /// Returns the task of a step or of an item's instance.
  @inline(__always)
  func task(_ index: StepIndex) -> PlanTask { Int(index) < states.count ? PlanTask(index) : fanOuts.task(index) }

  @inline(__always)
  func task(_ item: Int, of fanOut: Int) -> PlanTask { fanOuts.task(item, of: fanOut) }

  subscript(state task: PlanTask) -> StepState {
    @inline(__always)
    get { task.isItem ? fanOuts[task.fanOut].states[task.item] : states[task.step] }
  }

  /// Changes the state of a task. Call it inside ``mutate(endsFastPaths:_:)``. A setter would be a coroutine, which the
  /// compiler does not inline.
  @inline(__always)
  mutating func change<Result>(_ task: PlanTask, _ change: (inout StepState) -> Result) -> Result {
    task.isItem ? change(&fanOuts[task.fanOut].states[task.item]) : change(&states[task.step])
  }

  /// Returns the step that an item belongs to, or the step itself.
  @inline(__always)
  package func owner(of index: StepIndex) -> StepIndex { task(index).step }

  /// Returns the step and the index of an item, or nil if `index` is a step.
  package func position(ofItem index: StepIndex) -> (step: StepIndex, item: Int)? {
    let task = task(index)
    return task.isItem ? (task.step, task.item) : nil
  }

  /// Returns the id of a step or an item.
  package func stepID(of index: StepIndex) -> StepID {
    let task = task(index)
    let id = graph.workflow.steps[Int(task.step)].id
    return task.isItem ? id.item(task.item) : id
  }
}

extension StepID {
  /// Returns the id of an item of this step, such as `convert[3]`.
  package func item(_ index: Int) -> StepID { StepID(unchecked: "\(text)[\(index)]") }
}
