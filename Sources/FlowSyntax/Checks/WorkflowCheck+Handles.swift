import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// Reports required handles that neither the run nor a direct or indirect dependency provides, or that more than one
  /// dependency provides.
  mutating func checkHandles() {
    let runHandles = Set(catalog.runHandles)
    var required = Set(actions.entries.flatMap { $0.declaration?.requires ?? [] })
    if actions.entries.contains(where: { $0.declaration?.calls != nil }) {
      for step in workflow.steps.indices { required.formUnion(requirements(of: step)) }
    }
    required.subtract(runHandles)
    for key in required.sorted(by: { $0.name < $1.name }) { checkHandle(key) }
  }

  /// The dependencies that provide a required handle: none, one, or the first two of several.
  private enum Capacity: Equatable {
    case none
    case one(Int)
    case several(Int, Int)

    mutating func add(_ other: Capacity) {
      switch (self, other) {
      case (.none, _): self = other
      case (.one(let first), .one(let second)) where first != second: self = .several(first, second)
      case (.one, .several): self = other
      default: break
      }
    }
  }

  private mutating func checkHandle(_ key: HandleKey) {
    var supplies = [Capacity](repeating: .none, count: workflow.steps.count)
    let isProvider = workflow.steps.indices.map { actions.declaration(ofStep: $0)?.provides.contains(key) == true }
    for step in order.map(Int.init) {
      for need in workflow.steps[step].needs.map(Int.init) {
        supplies[step].add(supplies[need])
        if isProvider[need] { supplies[step].add(.one(need)) }
      }
    }
    for step in workflow.steps.indices {
      guard let declaration = actions.declaration(ofStep: step),
        (declaration.calls == nil ? declaration.requires : requirements(of: step)).contains(key)
      else { continue }
      switch supplies[step] {
      case .none:
        let isOwn = declaration.requires.contains(key)
        reportMissing(key, step, isOwn ? declaration : calledAction(of: step) ?? declaration)
      case .several(let first, let second):
        report(
          .ambiguousHandle,
          "step '\(name(step))' requires the handle '\(key)', which two steps before it provide",
          at: span(.uses, of: step),
          related: [first, second].map { .init(idSpan($0), "'\(name($0))' provides '\(key)'") },
          help: "depend on only one of them, directly or indirectly")
      case .one(let provider):
        guard mayBeMissing(provider), !reads(step, provider) else { continue }
        report(
          .handleMayBeMissing,
          "step '\(name(step))' requires the handle '\(key)', which '\(name(provider))' may not provide",
          at: span(.uses, of: step),
          related: [.init(span(ofWhatMayHide: provider), "'\(name(provider))' may not succeed")],
          help: "give '\(name(step))' the key if: steps.\(name(provider)).outcome == 'success'")
      }
    }
  }

  private mutating func reportMissing(_ key: HandleKey, _ step: Int, _ declaration: ActionDeclaration) {
    if !missingHandles.contains(key) { missingHandles.append(key) }
    let provider = workflow.steps.indices.first {
      $0 != step && actions.declaration(ofStep: $0)?.provides.contains(key) == true
    }
    let provision = catalog.declarations.first { $0.provides.contains(key) }
    report(
      .missingHandle,
      "step '\(name(step))' requires the handle '\(key)' for '\(declaration.name)', and no step before it provides it",
      at: span(.uses, of: step),
      related: provider.map { [.init(idSpan($0), "'\(name($0))' provides '\(key)'")] } ?? [],
      help: provider.map { "add '\(name($0))' to its dependencies" }
        ?? provision.map { "add a step that uses '\($0.name)', and make this one depend on it" }
        ?? "no installed action provides it")
  }

  /// True if dependents may start although the step has no outputs and handles.
  func mayBeMissing(_ step: Int) -> Bool {
    guard workflow.steps[step].hasOptions else { return false }
    let options = workflow.steps[step].options
    return options.isOptional || options.condition != nil || options.enabled != .literal(true)
  }

  /// Returns the location of the key that allows dependents to start without the step's outputs: `optional`, `if` or
  /// `enabled`.
  func span(ofWhatMayHide step: Int) -> TextSpan {
    let options = workflow.steps[step].options
    return span(options.isOptional ? .optional : options.condition != nil ? .condition : .enabled, of: step)
  }

  /// True if the `if` of `reader` mentions `step`, and therefore probably checks its outcome.
  func reads(_ reader: Int, _ step: Int) -> Bool {
    workflow.steps[reader].options.condition?.contains("steps.\(name(step))") == true
  }
}
