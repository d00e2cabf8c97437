import FlowDiagnostics
import FlowEngine
import FlowInsight
import FlowModel

/// The properties of a workflow that views need besides events: the names of its steps, and whether it has a launch
/// gate.
struct RunSubject: Sendable {
  /// The workflow's name with control characters made visible.
  let workflow: String
  /// True if the workflow has a `deadline`; otherwise the output does not mention gates, minimums and launch reasons.
  let isGated: Bool
  /// True if the run starts before its activation.
  let isPrewarmed: Bool
  /// True if the workflow declares budgets.
  let hasBudgets: Bool
  let stepCount: Int
  /// The names of items according to events so far.
  let items = ItemNames()
  /// The files that the workflow includes.
  let includes: IncludedFiles
  /// Returns the location of a step's definition, such as `release.yaml:5`, or nil if it is unknown.
  var place: @Sendable (StepID) -> String? = { _ in nil }
  private let names: [StepID: String]
  /// The services with their port, if it is in the file.
  private let services: [StepID: Int?]

  init(_ workflow: Workflow, isPrewarmed: Bool = false) {
    self.workflow = TerminalText.visible(workflow.name)
    isGated = GateRule.hasGate(workflow)
    hasBudgets = !workflow.budgets.isEmpty
    self.isPrewarmed = isPrewarmed
    stepCount = workflow.steps.count
    includes = IncludedFiles(workflow)
    // Most workflows have no step with a name.
    var names: [StepID: String] = [:]
    for step in workflow.steps {
      guard let name = step.options.name, name != step.id.text else { continue }
      names[step.id] = TerminalText.visible(name)
    }
    self.names = names
    let services = workflow.steps.filter(\.isCommandService)
    self.services = Dictionary(uniqueKeysWithValues: services.map { ($0.id, $0.servicePort) })
  }

  /// True if the workflow has services.
  var hasServices: Bool { !services.isEmpty }

  /// Returns the text for a service that is ready, such as `ready, port 8080`, or nil if the step is not a service.
  func readiness(of step: StepID) -> String? {
    guard !services.isEmpty, let port = services[step] else { return nil }
    return "ready" + (port.map { ", port \($0)" } ?? "")
  }

  /// Returns the name for people, or else the id.
  func name(_ step: StepID) -> String { (names.isEmpty ? nil : names[step]) ?? items.text(step) }

  /// Returns the name with the id used by other steps: `Fetch the table (fetch)`.
  func label(_ step: StepID) -> String {
    guard !names.isEmpty, let name = names[step] else { return items.text(step) }
    return "\(name) (\(step.text))"
  }

  /// Adds the name of an item to a line `[3] …` after its number.
  func named(_ line: String, itemOf step: StepID) -> String {
    guard line.first == "[", let end = line.firstIndex(of: "]"),
      let item = Int(line[line.index(after: line.startIndex)..<end]),
      let name = items.name(of: item, of: step)
    else { return line }
    return "\(line[...end]) \(name):\(line[end...].dropFirst())"
  }
}

extension Outcome {
  /// The word for steps with this outcome in a count: `3 succeeded`.
  var participle: String {
    switch self {
    case .success: "succeeded"
    case .failure: "failed"
    case .timedOut: "timed out"
    case .cancelled, .skipped: word
    }
  }
}
