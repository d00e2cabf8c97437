import FlowDiagnostics
import FlowModel
import FlowSyntax

/// The data for drawing a workflow: the side of the gate of each step, the steps that the gate waits for, and events.
struct GraphDrawing {
  /// The time at which a step may start, relative to the gate.
  enum Side: String {
    /// Independent of the gate.
    case beforeGate = "before-gate"
    /// After the gate has opened, because the step or one of its dependencies is deferred.
    case afterGate = "after-gate"
    /// After the gate has opened and everything else has finished.
    case idle
    /// Decided by an expression at activation.
    case byExpression = "by-expression"
    /// After all other steps have finished.
    case atEnd = "finally"
  }

  let graph: WorkflowGraph
  /// The side of each step.
  let sides: [Side]
  /// True for each step that the gate waits for.
  let blocks: [Bool]
  /// The length of the longest chain of dependencies on the same side of the gate; 0 without dependencies there.
  let levels: [Int]
  /// The boxes of included files.
  let boxes: GraphBoxes
  /// The files between steps, if they are drawn.
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
      !steps[index].options.isDisabled && roles.blocking(of: StepIndex(index)) == .always
    }
  }

  /// The steps in file order with their indices.
  var steps: [(index: Int, step: Step)] { graph.workflow.steps.enumerated().map { (index: $0, step: $1) } }

  /// True if the gate is drawn: the workflow has a `deadline`, or a step waits for the gate.
  var showsGate: Bool { graph.workflow.gate != nil || sides.contains { $0 != .beforeGate && $0 != .atEnd } }

  /// True if a step starts only after the gate has opened.
  func isAfterGate(_ index: Int) -> Bool { sides[index] == .afterGate || sides[index] == .idle }

  /// The blocking steps on which no other blocking step depends. The gate waits for these directly.
  var lastBefore: [Int] {
    steps.indices.filter { index in
      blocks[index] && !graph.successors(of: StepIndex(index)).contains { blocks[Int($0)] }
    }
  }

  /// The deferred steps without a deferred dependency. The gate releases these directly.
  var firstAfter: [Int] {
    steps.filter { isAfterGate($0.index) && !$0.step.needs.contains { isAfterGate(Int($0)) } }.map(\.index)
  }

  /// The events that steps wait for or run for, in the order in which they are first named.
  var events: [String] {
    var seen: Set<String> = []
    return graph.workflow.steps.flatMap(\.options.events).filter { seen.insert($0).inserted }
  }

  /// Returns the queue of a step.
  func queue(of index: Int) -> String {
    graph.workflow.steps[index].options.queue
      ?? StepQueue.usual(forDeferred: isAfterGate(index) || sides[index] == .atEnd).rawValue
  }

  /// The gate's minimum and maximum: `gate 2s … 5s`.
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

  /// Returns the special properties of a step in words: `optional`, `on main`, `after map.first-use`.
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
