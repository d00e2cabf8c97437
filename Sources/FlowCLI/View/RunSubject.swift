import FlowDiagnostics
import FlowEngine
import FlowModel

/// The information about a workflow that views need in addition to events, such as the names of its steps.
struct RunSubject: Sendable {
  /// The name of the workflow, with control characters made visible.
  let workflow: String
  /// True if the workflow has a `deadline`. If false, views do not mention gates, minimums and launch reasons.
  let isGated: Bool
  /// True if the run starts before it is activated.
  let isPrewarmed: Bool
  let hasBudgets: Bool
  let stepCount: Int
  /// The names of the items that events have listed.
  let items = ItemNames()
  let includes: IncludedFiles
  /// Returns the location where a step is defined, such as `release.yaml:5`, or nil if it is unknown.
  var place: @Sendable (StepID) -> String? = { _ in nil }
  private let names: [StepID: String]
  /// The services and their ports. A port is nil if the file does not contain it.
  private let services: [StepID: Int?]
  /// True if the run has services to show, or keeps running for services or events after all other steps have finished.
  let hasServices: Bool

  init(_ workflow: Workflow, isPrewarmed: Bool = false) {
    self.workflow = TerminalText.visible(workflow.name)
    isGated = GateRule.hasGate(workflow)
    hasBudgets = !workflow.budgets.isEmpty
    self.isPrewarmed = isPrewarmed
    stepCount = workflow.steps.count
    includes = IncludedFiles(workflow)
    // In most workflows, steps have no names, so this stays empty.
    var names: [StepID: String] = [:]
    for step in workflow.steps where step.hasOptions {
      guard let name = step.options.name, name != step.id.text else { continue }
      names[step.id] = TerminalText.visible(name)
    }
    self.names = names
    let services = workflow.steps.filter(\.isCommandService)
    self.services = Dictionary(uniqueKeysWithValues: services.map { ($0.id, $0.servicePort) })
    hasServices = !services.isEmpty || workflow.keepsServices
  }

  /// Returns the text for a service that is ready, such as `ready, port 8080`. Returns nil if the step is not a
  /// service.
  func readiness(of step: StepID) -> String? {
    guard !services.isEmpty, let port = services[step] else { return nil }
    return "ready" + (port.map { ", port \($0)" } ?? "")
  }

  /// Returns the name of a step or, if it has none, its id.
  func name(_ step: StepID) -> String { (names.isEmpty ? nil : names[step]) ?? items.text(step) }

  /// Returns the name of a step followed by its id, such as `Fetch the table (fetch)`, or only the id if the step has
  /// no name. Other steps refer to it by the id.
  func label(_ step: StepID) -> String {
    guard !names.isEmpty, let name = names[step] else { return items.text(step) }
    return "\(name) (\(step.text))"
  }

  /// Inserts the name of an item into a line that begins with the item's index, such as `[3] …`.
  func named(_ line: String, itemOf step: StepID) -> String {
    guard line.first == "[", let end = line.firstIndex(of: "]"),
      let item = Int(line[line.index(after: line.startIndex)..<end]),
      let name = items.name(of: item, of: step)
    else { return line }
    return "\(line[...end]) \(name):\(line[end...].dropFirst())"
  }
}

extension Outcome {
  /// The word for the outcome in a count such as `3 succeeded`.
  var participle: String {
    switch self {
    case .success: "succeeded"
    case .failure: "failed"
    case .timedOut: "timed out"
    case .cancelled, .skipped: word
    }
  }
}
