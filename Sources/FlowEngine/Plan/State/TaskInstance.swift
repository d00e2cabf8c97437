import FlowModel

/// A unit that runs once: a step, or an item of a fan-out. Both have the same life cycle.
package struct TaskInstance: Sendable, Hashable {
  /// The step; of an item the one that it belongs to.
  package var step: StepIndex
  /// Which item, from 0; -1: it is the step itself.
  private var number: StepIndex

  /// A step.
  package init(_ step: StepIndex) { (self.step, number) = (step, -1) }

  /// An item of a step.
  package init(_ step: StepIndex, item: Int) { (self.step, number) = (step, StepIndex(item)) }

  /// Which item of its step it is; nil: it is the step itself.
  package var item: Int? { number < 0 ? nil : Int(number) }
}

/// A task instance, and where a plan keeps it. It is looked up once, when something happens to it.
struct PlanTask: Sendable {
  /// What timers, attempts, effects and threads call it: a step's own index, or one beyond those of all steps.
  let index: StepIndex
  /// The step; of an item the one that it belongs to.
  let step: StepIndex
  /// Which item of its step; 0 for the step itself.
  let item: Int
  /// Where the items of its step are in the plan's table; -1: it is the step itself.
  let fanOut: Int

  /// Whether it is an item of a step.
  @inline(__always)
  var isItem: Bool { fanOut >= 0 }

  /// What the journal calls it.
  var instance: TaskInstance { isItem ? TaskInstance(step, item: item) : TaskInstance(step) }
}

extension PlanTask {
  /// A step.
  @inline(__always)
  init(_ step: StepIndex) { self.init(index: step, step: step, item: 0, fanOut: -1) }
}

extension FanOutTable {
  /// An item of a step, by where the step's items are in the table.
  func task(_ item: Int, of fanOut: Int) -> PlanTask {
    PlanTask(index: self[fanOut].firstInstance + StepIndex(item), step: self[fanOut].step, item: item, fanOut: fanOut)
  }

  /// The item of an index beyond those of all steps.
  @inline(never)
  fileprivate func task(_ index: StepIndex) -> PlanTask {
    let (fanOut, item) = fanOutItem(of: index)
    return task(item, of: fanOut)
  }
}

// What only looks is inlined: a call would copy the plan, and count a reference more to each of its parts.
extension Plan {
  /// The task instance of an index.
  @inline(__always)
  func task(_ index: StepIndex) -> PlanTask { Int(index) < states.count ? PlanTask(index) : fanOuts.task(index) }

  /// An item of a step, by where the step's items are in the table.
  @inline(__always)
  func task(_ item: Int, of fanOut: Int) -> PlanTask { fanOuts.task(item, of: fanOut) }

  /// What changes about a task.
  subscript(state task: PlanTask) -> StepState {
    @inline(__always)
    get { task.isItem ? fanOuts[task.fanOut].states[task.item] : states[task.step] }
  }

  /// Changes the state of a task, inside ``mutate(endsFastPaths:_:)``. No accessor: that is a coroutine, which is called.
  @inline(__always)
  mutating func change<Result>(_ task: PlanTask, _ change: (inout StepState) -> Result) -> Result {
    task.isItem ? change(&fanOuts[task.fanOut].states[task.item]) : change(&states[task.step])
  }

  /// The step that an index belongs to; a step is its own.
  @inline(__always)
  package func owner(of index: StepIndex) -> StepIndex { task(index).step }

  /// The step and the item that an index stands for; nil: it is a step.
  package func position(ofItem index: StepIndex) -> (step: StepIndex, item: Int)? {
    let task = task(index)
    return task.isItem ? (task.step, task.item) : nil
  }

  /// What a step, or an item of one, is called.
  package func stepID(of index: StepIndex) -> StepID {
    let task = task(index)
    let id = graph.workflow.steps[Int(task.step)].id
    return task.isItem ? id.item(task.item) : id
  }
}

extension StepID {
  /// What an item of the step is called: `convert[3]`.
  package func item(_ index: Int) -> StepID { StepID(unchecked: "\(text)[\(index)]") }
}
