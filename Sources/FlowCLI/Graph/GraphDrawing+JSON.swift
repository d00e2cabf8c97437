import FlowModel
import FlowSyntax

extension GraphDrawing {
  /// The graph as JSON:
  /// `{workflow, gate:{min, max, waitsFor:[id]}, events:[name], steps:[{id, name, uses, needs, after, side, level,
  /// queue, blocking, optional, prewarm, enabled, foreach, include}]}`.
  ///
  /// - `enabled` is a Boolean or the text of an expression.
  /// - `foreach` is present only for steps that have it: `{items, files, event, parallel, failFast}`. It has `event` if
  ///   the items are the posts of an event.
  /// - `include` is present only for steps of an included file. It is the id of the step that includes the file.
  /// - `files:[{path, producedBy:[id], readBy:[id]}]` is an additional member if files are drawn.
  var json: Value {
    let workflow = graph.workflow
    func text(_ source: DurationSource?) -> Value {
      switch source {
      case nil: .null
      case .literal(let duration): .string(DurationText.format(duration))
      case .expression(let text): .string(text)
      }
    }
    var whole: ValueObject = [
      "workflow": .string(workflow.name),
      "gate": [
        "min": text(workflow.gate?.min), "max": text(workflow.gate?.max),
        "waitsFor": .array(lastBefore.map { .string(workflow.steps[$0].id.text) }),
      ],
      "events": .array(events.map { .string($0) }),
      "steps": .array(steps.map { .object(object($0.index, $0.step)) }),
    ]
    if !files.isEmpty { whole["files"] = .array(files.map(object)) }
    return .object(whole)
  }

  private func object(_ file: FileFlow.Node) -> Value {
    func ids(_ steps: [Int]) -> Value { .array(steps.map { .string(graph.workflow.steps[$0].id.text) }) }
    return ["path": .string(file.text), "producedBy": ids(file.makers), "readBy": ids(file.readers)]
  }

  private func object(_ index: Int, _ step: Step) -> ValueObject {
    let options = step.options
    let enabled: Value =
      switch options.enabled {
      case .literal(let flag): .boolean(flag)
      case .expression(let text): .string(text)
      }
    var object: ValueObject = [
      "id": .string(step.id.text), "name": .string(step.displayName), "uses": .string(step.uses),
      "needs": .array(step.needs.map { .string(graph.workflow.steps[Int($0)].id.text) }),
      "after": .array(options.after.map { .string($0) }), "side": .string(sides[index].rawValue),
      "level": .integer(levels[index]), "queue": .string(queue(of: index)), "blocking": .boolean(blocks[index]),
      "optional": .boolean(options.isOptional), "prewarm": .boolean(options.prewarm), "enabled": enabled,
    ]
    if let include = boxes.name(ofBoxAround: index) { object["include"] = .string(include) }
    if let fanOut = options.fanOut {
      var foreach: ValueObject = [
        "items": fanOut.literalCount.map { .integer($0) } ?? .null,
        "parallel": fanOut.parallel.map { .integer($0) } ?? .null,
        "failFast": .boolean(fanOut.isFailFast),
      ]
      if case .files(let patterns) = fanOut.source { foreach["files"] = .array(patterns.map { .string($0) }) }
      if let event = fanOut.event { foreach["event"] = .string(event) }
      object["foreach"] = .object(foreach)
    }
    return object
  }
}
