import FlowExpressions
import FlowModel
import FlowPlatform
import Synchronization

/// The variables of this process that expressions of a run have read as `env.NAME`. A variable keeps the value that was
/// read first, even after a resume.
final class InheritedVariables: Sendable {
  private let lookUp: @Sendable (String) -> String?
  private let state: Mutex<State>

  private struct State {
    /// The value of each variable that was read, or null if it was not set.
    var values: ValueObject
    var hasUnrecorded = false
  }

  /// Creates the table. `values` contains the variables that were read before a resume.
  init(_ values: ValueObject = [:], lookUp: @escaping @Sendable (String) -> String?) {
    self.lookUp = lookUp
    state = Mutex(State(values: values))
  }

  /// The value of a variable, or null if it is not set.
  subscript(name: String) -> Value {
    state.withLock { state in
      if let value = state.values[name] { return value }
      let value = lookUp(name).map { Value.string($0) } ?? .null
      state.values[name] = value
      state.hasUnrecorded = true
      return value
    }
  }

  /// True if a variable was read since the values were last recorded in the journal.
  var hasUnrecorded: Bool { state.withLock { $0.hasUnrecorded } }

  func noteRecorded() { state.withLock { $0.hasUnrecorded = false } }

  /// The variables that were read, with null for those that were not set.
  var values: ValueObject { state.withLock { $0.values } }
}

extension RunOptions {
  /// Returns a variable of this process, or nil if it is not set, commands do not inherit it or it is not valid UTF-8.
  @Sendable static func variableOfProcess(_ name: String) -> String? {
    // If this process is itself a command of a workflow, `FLOWRUN_OUTPUT` is the output file of that workflow's step.
    if name.isEmpty || name == "FLOWRUN_OUTPUT" || name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "=") }) {
      return nil
    }
    return getenv(name).flatMap { String(validatingCString: $0) }
  }
}

extension PreparedWorkflow {
  /// The names of the variables that expressions read as `env.NAME`.
  var variableNames: Set<String> {
    var names: Set<String> = []
    func add(_ references: [ContextReference]) {
      for reference in references where reference.name.lowercased() == "env" {
        if let name = reference.path.first { names.insert(name) }
      }
    }
    for detail in details {
      if case .evaluated(let object) = detail.inputs { add(object.references) }
      add(detail.environment.references)
      for expression in [detail.condition, detail.enabled, detail.deferral] { add(expression?.references ?? []) }
    }
    for object in [environment, outputs] + scopeEnvironments { add(object.references) }
    return names
  }
}
