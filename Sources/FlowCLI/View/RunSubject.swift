import FlowDiagnostics
import FlowEngine
import FlowInsight
import FlowModel

/// What the views know of a workflow besides the events of its run: what people call its steps, and whether it has a
/// launch gate to speak of.
struct RunSubject: Sendable {
  /// The workflow's name, without anything that moves a cursor.
  let workflow: String
  /// Whether the workflow has a `deadline`; without one the output does not mention gates, minimums and launch reasons.
  let isGated: Bool
  /// Whether the run waits for its activation.
  let isPrewarmed: Bool
  /// Whether the workflow declares budgets for how long it takes.
  let hasBudgets: Bool
  let stepCount: Int
  /// The items of steps, as far as events have told them.
  let items = ItemNames()
  /// The files that the workflow includes.
  let includes: IncludedFiles
  /// The place of a step's definition, such as `release.yaml:5`; nil if it is not known.
  var place: @Sendable (StepID) -> String? = { _ in nil }
  private let names: [StepID: String]
  /// The services, each with its port if the file names one.
  private let services: [StepID: Int?]

  init(_ workflow: Workflow, isPrewarmed: Bool = false) {
    self.workflow = TerminalText.visible(workflow.name)
    isGated = GateRule.hasGate(workflow)
    hasBudgets = !workflow.budgets.isEmpty
    self.isPrewarmed = isPrewarmed
    stepCount = workflow.steps.count
    includes = IncludedFiles(workflow)
    // Most steps have no name, and most workflows no step that has one.
    var names: [StepID: String] = [:]
    for step in workflow.steps {
      guard let name = step.options.name, name != step.id.text else { continue }
      names[step.id] = TerminalText.visible(name)
    }
    self.names = names
    let services = workflow.steps.filter(\.isCommandService)
    self.services = Dictionary(uniqueKeysWithValues: services.map { ($0.id, $0.servicePort) })
  }

  /// Whether commands of the workflow keep running.
  var hasServices: Bool { !services.isEmpty }

  /// The text for a service that is ready, such as `ready, port 8080`; nil if the step is not a service.
  func readiness(of step: StepID) -> String? {
    guard !services.isEmpty, let port = services[step] else { return nil }
    return "ready" + (port.map { ", port \($0)" } ?? "")
  }

  /// What a person reads: the name, else the id.
  func name(_ step: StepID) -> String { (names.isEmpty ? nil : names[step]) ?? items.text(step) }

  /// The name with the id by which other steps refer to it: `Fetch the table (fetch)`.
  func label(_ step: StepID) -> String {
    guard !names.isEmpty, let name = names[step] else { return items.text(step) }
    return "\(name) (\(step.text))"
  }

  /// A line `[3] …` about an item of a step, with the name of the item behind its number.
  func named(_ line: String, itemOf step: StepID) -> String {
    guard line.first == "[", let end = line.firstIndex(of: "]"),
      let item = Int(line[line.index(after: line.startIndex)..<end]),
      let name = items.name(of: item, of: step)
    else { return line }
    return "\(line[...end]) \(name):\(line[end...].dropFirst())"
  }
}

extension Outcome {
  /// The word for steps that ended with it, in a count: `3 succeeded`.
  var participle: String {
    switch self {
    case .success: "succeeded"
    case .failure: "failed"
    case .timedOut: "timed out"
    case .cancelled, .skipped: word
    }
  }
}
