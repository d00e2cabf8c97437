import FlowDiagnostics
import FlowModel
import FlowSyntax

/// The data for drawing a workflow: the events, and for each step, whether it starts before or after the gate and
/// whether the gate waits for it.
struct GraphDrawing {
  /// The side of the gate on which a step starts.
  enum Side: String {
    /// The step does not wait until the gate has opened.
    case beforeGate = "before-gate"
    /// The step or one of its dependencies is deferred, so it starts after the gate has opened.
    case afterGate = "after-gate"
    /// The step starts after the gate has opened and everything else has finished.
    case idle
    /// An expression that is evaluated at activation decides.
    case byExpression = "by-expression"
    /// The step is in `finally`, so it starts after all other steps have finished.
    case atEnd = "finally"
  }

  let graph: WorkflowGraph
  let sides: [Side]
  /// For each step, true if the gate waits for it.
  let blocks: [Bool]
  /// For each step, the length of the longest chain of dependencies before it on its side of the gate.
  let levels: [Int]
  let boxes: GraphBoxes
  /// The files that steps exchange. Empty if files are not drawn.
  let files: [FileFlow.Node]

  init(_ graph: WorkflowGraph, showsFiles: Bool = false) {
    self.graph = graph
    files = showsFiles ? FileFlow(graph.workflow).nodes : []
    boxes = GraphBoxes(graph.workflow)
    let steps = graph.workflow.steps
    let roles = GateRoles(graph)
    let sides = steps.indices.map { index -> Side in
      if steps[index].options.isFinal, !steps[index].options.isFinalInside { return .atEnd }
      return switch roles.deferral(of: StepIndex(index)) {
      case .never: .beforeGate
      case .byExpression: .byExpression
      case .always: steps[index].options.deferral == .idle ? .idle : .afterGate
      }
    }
    var levels = [Int](repeating: 0, count: steps.count)
    for index in graph.topologicalOrder.map(Int.init) {
      let step = steps[index]
      let isAfter = sides[index] == .afterGate || sides[index] == .idle
      for need in step.needs.map(Int.init) {
        let dependencyIsAfter = sides[need] == .afterGate || sides[need] == .idle
        if isAfter == dependencyIsAfter { levels[index] = max(levels[index], levels[need] + 1) }
      }
    }
    self.sides = sides
    self.levels = levels
    blocks = steps.indices.map { index in
      !steps[index].options.isDisabled && roles.isBlocking(StepIndex(index))
    }
  }

  var steps: [(index: Int, step: Step)] { graph.workflow.steps.enumerated().map { (index: $0, step: $1) } }

  /// True if the gate is drawn, because the workflow has a `deadline` or a step depends on the gate.
  var showsGate: Bool { graph.workflow.gate != nil || sides.contains { $0 != .beforeGate && $0 != .atEnd } }

  func isAfterGate(_ index: Int) -> Bool { sides[index] == .afterGate || sides[index] == .idle }

  /// The blocking steps that have no blocking dependents. Only these have an arrow to the gate.
  var lastBefore: [Int] {
    steps.indices.filter { index in
      blocks[index] && !graph.successors(of: StepIndex(index)).contains { blocks[Int($0)] }
    }
  }

  /// The deferred steps that have no deferred dependencies. Only these have an arrow from the gate.
  var firstAfter: [Int] {
    steps.filter { isAfterGate($0.index) && !$0.step.needs.contains { isAfterGate(Int($0)) } }.map(\.index)
  }

  /// The events that steps wait for or whose posts are their items, in the order of their first use.
  var events: [String] {
    var seen: Set<String> = []
    return graph.workflow.steps.flatMap(\.options.events).filter { seen.insert($0).inserted }
  }

  func queue(of index: Int) -> String {
    graph.workflow.steps[index].options.queue
      ?? StepQueue.usual(forDeferred: isAfterGate(index) || sides[index] == .atEnd).rawValue
  }

  /// The label of the gate with its minimum and maximum, such as `gate, 2s to 5s`.
  var gateLabel: String {
    let deadline = graph.workflow.gate
    let (low, high) = (deadline?.min.map(Self.text), deadline?.max.map(Self.text))
    return switch (low, high) {
    case (nil, nil): "gate"
    case (let low?, nil): "gate, from \(low)"
    case (nil, let high?): "gate, at most \(high)"
    case (let low?, let high?): "gate, \(low) to \(high)"
    }
  }

  /// Returns the notable properties of a step, such as `optional`, `on main` or `not blocking`.
  func notes(of index: Int) -> [String] {
    let options = graph.workflow.steps[index].options
    var notes: [String] = []
    if let name = options.name { notes.append("'\(TerminalText.visible(name))'") }
    let step = graph.workflow.steps[index]
    if step.isCommandService { notes.append("a service" + (step.servicePort.map { " at port \($0)" } ?? "")) }
    if let queue = options.queue { notes.append("on \(queue)") }
    switch options.enabled {
    case .literal(true): break
    case .literal(false): notes.append("disabled")
    case .expression: notes.append("switched by an expression")
    }
    if options.isFinal { notes.append("finally") }
    if sides[index] == .idle { notes.append("when idle") }
    if sides[index] == .byExpression { notes.append("deferred by an expression") }
    if sides[index] == .beforeGate, !blocks[index], !options.isDisabled { notes.append("not blocking") }
    if let fanOut = options.fanOut { notes.append(Self.text(fanOut)) }
    if options.isOptional { notes.append("optional") }
    if options.prewarm { notes.append("prewarm") }
    if options.condition != nil { notes.append("conditional") }
    return notes
  }

  private static func text(_ fanOut: FanOut) -> String {
    let event = fanOut.event.map { "each post of \(TerminalText.visible($0))" }
    var count = event ?? fanOut.literalCount.map { "\($0) items" } ?? "each item"
    if case .files(let patterns) = fanOut.source {
      count = "each file of \(patterns.map { TerminalText.visible($0) }.joined(separator: ", "))"
    }
    return "for \(count)" + (fanOut.parallel.map { ", \($0) at once" } ?? "")
  }

  private static func text(_ source: DurationSource) -> String {
    switch source {
    case .literal(let duration): DurationText.format(duration)
    case .expression(let text): text
    }
  }
}
