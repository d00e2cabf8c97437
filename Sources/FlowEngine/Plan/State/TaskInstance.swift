import FlowModel

/// A unit that runs once: a step, or an item of a fan-out. Both have the same life cycle.
package struct TaskInstance: Sendable, Hashable {
  /// The step, or the step that the item belongs to.
  package var step: StepIndex
  /// The index of the item, or -1 for the step itself.
  private var number: StepIndex

  /// Creates the instance of a step.
  package init(_ step: StepIndex) { (self.step, number) = (step, -1) }

  /// Creates the instance of an item.
  package init(_ step: StepIndex, item: Int) { (self.step, number) = (step, StepIndex(item)) }

  /// The index of the item, or nil for the step itself.
  package var item: Int? { number < 0 ? nil : Int(number) }
}

/// A task instance with its location in the plan. It is looked up once per event.
struct PlanTask: Sendable {
  /// The index in timers, attempts, effects and threads: that of the step, or one after those of all steps for an item.
  let index: StepIndex
  /// The step, or the step that the item belongs to.
  let step: StepIndex
  /// The index of the item, or 0 for the step itself.
  let item: Int
  /// The index of the step's fan-out in the plan's table, or -1 for the step itself.
  let fanOut: Int

  /// True if the task is an item.
  @inline(__always)
  var isItem: Bool { fanOut >= 0 }

  /// The instance as the journal names it.
  var instance: TaskInstance { isItem ? TaskInstance(step, item: item) : TaskInstance(step) }
}

extension PlanTask {
  /// Creates the task of a step.
  @inline(__always)
  init(_ step: StepIndex) { self.init(index: step, step: step, item: 0, fanOut: -1) }
}

extension FanOutTable {
  /// The task of an item, from the index of its fan-out.
  func task(_ item: Int, of fanOut: Int) -> PlanTask {
    PlanTask(index: self[fanOut].firstInstance + StepIndex(item), step: self[fanOut].step, item: item, fanOut: fanOut)
  }

  /// The task of an item, from its instance.
  @inline(never)
  fileprivate func task(_ index: StepIndex) -> PlanTask {
    let (fanOut, item) = fanOutItem(of: index)
    return task(item, of: fanOut)
  }
}

// Methods that only read are inlined, because a call would copy the plan and retain each of its parts.
extension Plan {
  /// The task with an index.
  @inline(__always)
  func task(_ index: StepIndex) -> PlanTask { Int(index) < states.count ? PlanTask(index) : fanOuts.task(index) }

  /// The task of an item, from the index of its fan-out.
  @inline(__always)
  func task(_ item: Int, of fanOut: Int) -> PlanTask { fanOuts.task(item, of: fanOut) }

  /// The state of a task.
  subscript(state task: PlanTask) -> StepState {
    @inline(__always)
    get { task.isItem ? fanOuts[task.fanOut].states[task.item] : states[task.step] }
  }

  /// Changes the state of a task, inside ``mutate(endsFastPaths:_:)``. Not an accessor, because that would be a
  /// coroutine, which is not inlined.
  @inline(__always)
  mutating func change<Result>(_ task: PlanTask, _ change: (inout StepState) -> Result) -> Result {
    task.isItem ? change(&fanOuts[task.fanOut].states[task.item]) : change(&states[task.step])
  }

  /// The step of an index. A step is its own owner.
  @inline(__always)
  package func owner(of index: StepIndex) -> StepIndex { task(index).step }

  /// The step and the index of an item, or nil for a step.
  package func position(ofItem index: StepIndex) -> (step: StepIndex, item: Int)? {
    let task = task(index)
    return task.isItem ? (task.step, task.item) : nil
  }

  /// The id of a step or an item.
  package func stepID(of index: StepIndex) -> StepID {
    let task = task(index)
    let id = graph.workflow.steps[Int(task.step)].id
    return task.isItem ? id.item(task.item) : id
  }
}

extension StepID {
  /// The id of an item of the step, such as `convert[3]`.
  package func item(_ index: Int) -> StepID { StepID(unchecked: "\(text)[\(index)]") }
}
