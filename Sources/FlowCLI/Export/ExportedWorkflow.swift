import FlowEngine
import FlowModel
import FlowSystem

/// The part of a workflow that other engines can run: commands with dependencies. Every other part is listed with the
/// reason why it is omitted.
struct ExportedWorkflow {
  struct ExportedStep {
    var id: String
    /// The program that the step runs, and its arguments.
    var words: [String]
    var environment: [(name: String, value: String)]
    /// The absolute path of the working folder.
    var folder: String
    /// The working folder as written in the step, or nil if the step does not set one.
    var statedFolder: String?
    var needs: [Need]
    var limit: Duration?
    var retry: RetryPolicy?
    /// The resources that the step requests, or nil if it requests none.
    var request: MachineResources?
    var isOptional: Bool
  }

  /// A dependency on another step.
  struct Need {
    var id: String
    /// True if the dependent step runs even if the dependency fails.
    var isOptional: Bool
  }

  let name: String
  private(set) var steps: [ExportedStep] = []
  /// The omitted parts, with one sentence for each.
  private(set) var omissions: [String] = []

  /// Selects the parts of `graph` that can be exported. Relative folders start at `folder`.
  init(_ graph: WorkflowGraph, folder: String) {
    let workflow = graph.workflow
    name = workflow.name
    for reason in Self.obstacles(workflow) { omissions.append(reason) }
    var left: Set<StepIndex> = []
    for index in graph.topologicalOrder {
      let step = workflow.steps[Int(index)]
      if let need = step.needs.first(where: { left.contains($0) }) {
        left.insert(index)
        omissions.append("step '\(step.id)' needs '\(workflow.steps[Int(need)].id)', which is left out")
        continue
      }
      do throws(Obstacle) {
        steps.append(try Self.translate(step, workflow, folder))
      } catch {
        left.insert(index)
        omissions.append("step '\(step.id)' is left out: \(error.reason)")
      }
    }
  }

  private struct Obstacle: Error {
    var reason: String
  }

  private static func obstacles(_ workflow: Workflow) -> [String] {
    var reasons: [String] = []
    if workflow.gate != nil { reasons.append("the launch gate ('deadline') is left out: only flowrun has one") }
    if !workflow.outputs.isEmpty { reasons.append("'outputs' is left out: commands do not return values there") }
    if !workflow.inputs.isEmpty { reasons.append("'inputs' is left out: there are no values to give") }
    if workflow.timeout != nil { reasons.append("'timeout' is left out: only each step has a limit there") }
    if !workflow.environmentFiles.isEmpty || workflow.scopes.contains(where: { !$0.environmentFiles.isEmpty }) {
      reasons.append("'env-file' is left out: its values are read at each run")
    }
    return reasons
  }

  private static func translate(
    _ step: Step, _ workflow: Workflow, _ folder: String
  ) throws(Obstacle) -> ExportedStep {
    guard step.uses == "shell.run" else { throw Obstacle(reason: "'\(step.uses)' is not a command") }
    let options = step.options
    let stated: [(Bool, String)] = [
      (options.condition != nil, "it has an 'if'"), (options.fanOut != nil, "it has 'foreach'"),
      (!options.after.isEmpty, "it waits for an event"), (options.deferral != .never, "it is deferred"),
      (options.isFinal, "it is in 'finally'"), (options.deadline?.min != nil, "its deadline has a 'min'"),
      (options.queue == "main" || workflow.queues.contains { $0.name == options.queue }, "it is in a queue"),
    ]
    if let reason = stated.first(where: \.0)?.1 { throw Obstacle(reason: reason) }
    if case .literal(true) = options.enabled {} else { throw Obstacle(reason: "it has 'enabled'") }
    var environment: [(name: String, value: String)] = []
    for values in [workflow.environment, options.environment, step.with["env"]?.objectValue ?? [:]] {
      for (name, value) in values {
        environment.removeAll { $0.name == name }
        environment.append((name, try text(value, "the variable '\(name)'")))
      }
    }
    if let statuses = step.with["successStatuses"], statuses != [0] {
      throw Obstacle(reason: "it takes other exit statuses than 0 for success")
    }
    let place = try step.with["cwd"].map { value throws(Obstacle) in try text(value, "'cwd'") }
    return ExportedStep(
      id: step.id.text, words: try words(step), environment: environment,
      folder: place.map { FilePath.isAbsolute($0) ? $0 : "\(folder)/\($0)" } ?? folder, statedFolder: place,
      needs: step.needs.map { need in
        let other = workflow.steps[Int(need)]
        return Need(id: other.id.text, isOptional: other.options.isOptional)
      }, limit: options.deadline?.max, retry: options.retry, request: options.request, isOptional: options.isOptional)
  }

  private static func words(_ step: Step) throws(Obstacle) -> [String] {
    let command = step.with["command"] ?? .null
    if case .array(let values) = command {
      var words: [String] = []
      for value in values { words.append(try text(value, "its command")) }
      return words
    }
    let line = try text(command, "its command")
    switch step.with["shell"]?.stringValue {
    case nil: return ["/bin/sh", "-c", line]
    case "sh": return ["/bin/sh", "-e", "-c", line]
    case "bash": return ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", line]
    case "python": return ["python3", "-c", line]
    case let shell?: throw Obstacle(reason: "its shell is '\(shell)'")
    }
  }

  private static func text(_ value: Value, _ what: String) throws(Obstacle) -> String {
    let text = value.stringValue ?? JSONText.write(value)
    guard text.firstRange(of: "${{") == nil else { throw Obstacle(reason: "\(what) holds an expression") }
    return text
  }
}

extension ExportedWorkflow {
  /// Returns a word in quotes for a POSIX shell.
  static func quoted(_ word: String) -> String {
    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }

  /// Returns the duration in whole seconds, rounded up, but at least 1.
  static func seconds(_ duration: Duration) -> Int { max(1, (duration.nanoseconds + 999_999_999) / 1_000_000_000) }
}
