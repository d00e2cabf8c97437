import FlowDiagnostics
import FlowModel

/// Steps that are workflows: what such a step cannot state, and that its file can be used.
extension WorkflowCheck {
  /// The events of the files that are included, as this one names them: `build/done`.
  func includedEvents() -> Set<String> {
    var events: Set<String> = []
    guard let includes = catalog as? IncludeCatalog,
      actions.entries.contains(where: { IncludeLibrary.isFile($0.name) })
    else { return events }
    for step in workflow.steps where IncludeLibrary.isFile(step.uses) {
      let own = includes.library.entry(step.uses, stack: includes.stack).events
      events.formUnion(own.map { "\(step.id.text)/\($0)" })
    }
    return events
  }

  /// The events that are this file's own: those that it declares, that its steps post by a name, and of what it includes.
  func ownEvents() -> Set<String> {
    var events = Set(workflow.events.map(\.name)).union(includedEvents())
    for (index, step) in workflow.steps.enumerated() {
      guard let input = actions.declaration(ofStep: index)?.eventFromInput,
        let event = step.with[input]?.stringValue
      else { continue }
      events.insert(event)
    }
    return events
  }

  mutating func checkIncludes() {
    guard actions.entries.contains(where: { IncludeLibrary.isFile($0.name) }) else { return }
    for step in workflow.steps.indices where IncludeLibrary.isFile(workflow.steps[step].uses) {
      if isSettled { return }
      let uses = workflow.steps[step].uses
      guard let includes = catalog as? IncludeCatalog else { continue }
      if let problem = includes.library.entry(uses, stack: includes.stack).problem {
        report(
          .unknownAction, "step '\(name(step))' cannot use '\(uses)': \(problem)", at: span(.uses, of: step),
          help: "the path is relative to the file that states it; flowrun validate says everything about that file")
      }
      if workflow.steps[step].options.isFinal {
        report(
          .conflictingKeys, "step '\(name(step))' of 'finally' cannot be a workflow of its own",
          at: span(.uses, of: step),
          help: "write the steps of that file here, or include it below 'steps'")
      }
      for key in [
        StepKey.retry, .deadline, .prewarm, .foreach, .env, .estimate, .onInterrupt, .inputsFrom, .produces, .resources,
      ] {
        guard let member = tree.member(key.rawValue, of: places.steps[step].value) else { continue }
        report(
          .conflictingKeys, "step '\(name(step))' is a workflow of its own, which cannot have '\(key.rawValue)'",
          at: tree.span(member.key), related: [.init(span(.uses, of: step), "it uses a file here")],
          help: key == .foreach
            ? "a workflow for each item is not built; let a step of it have the items"
            : "state it at the steps of that file")
      }
    }
  }
}
