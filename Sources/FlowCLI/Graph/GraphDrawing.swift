import FlowDiagnostics
import FlowModel
import FlowSyntax

/// A workflow as it is drawn: which side of the gate each step is on, what the gate waits for, who waits for events.
struct GraphDrawing {
  /// When a step may start, seen from the gate.
  enum Side: String {
    /// Before it, or next to it.
    case beforeGate = "before-gate"
    /// After it has opened, because it says so or because it needs such a step.
    case afterGate = "after-gate"
    /// After it has opened, when nothing else is to do.
    case idle
    /// An expression says at activation.
    case byExpression = "by-expression"
    /// When all other steps are over.
    case atEnd = "finally"
  }

  let graph: WorkflowGraph
  /// The side of each step.
  let sides: [Side]
  /// Whether the gate waits for each step.
  let blocks: [Bool]
  /// The columns that are steps deep: 0 for a step that needs nothing on its side of the gate.
  let levels: [Int]
  /// The boxes of what is included.
  let boxes: GraphBoxes
  /// The files between steps, where they are drawn.
  let files: [FileFlow.Node]

  /// Works out what is drawn.
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

  /// The steps in file order with their places.
  var steps: [(index: Int, step: Step)] { graph.workflow.steps.enumerated().map { (index: $0, step: $1) } }

  /// Whether there is a gate to speak of: the workflow has a `deadline`, or a step that waits for the gate.
  var showsGate: Bool { graph.workflow.gate != nil || sides.contains { $0 != .beforeGate && $0 != .atEnd } }

  /// Whether a step starts only after the gate has opened.
  func isAfterGate(_ index: Int) -> Bool { sides[index] == .afterGate || sides[index] == .idle }

  /// The steps whose end the gate waits for directly: the blocking ones that no other blocking step needs.
  var lastBefore: [Int] {
    steps.indices.filter { index in
      blocks[index] && !graph.successors(of: StepIndex(index)).contains { blocks[Int($0)] }
    }
  }

  /// The steps that the gate releases directly: the deferred ones that need no other deferred step.
  var firstAfter: [Int] {
    steps.filter { isAfterGate($0.index) && !$0.step.needs.contains { isAfterGate(Int($0)) } }.map(\.index)
  }

  /// The events that steps wait for, or for whose posts they run, each once, in the order in which they are first named.
  var events: [String] {
    var seen: Set<String> = []
    return graph.workflow.steps.flatMap(\.options.events).filter { seen.insert($0).inserted }
  }

  /// The queue a step runs on.
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

  /// What is special about a step, in words: `optional`, `on main`, `after map.first-use`.
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
