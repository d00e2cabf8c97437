import FlowExpressions
import FlowModel
import FlowPlatform
import Synchronization

/// The variables of this process that expressions of a run have read as `env.NAME`. Each keeps its first value, even if
/// the run is resumed.
final class InheritedVariables: Sendable {
  private let lookUp: @Sendable (String) -> String?
  private let state: Mutex<State>

  private struct State {
    /// The value of each variable, or null if it is not set.
    var values: ValueObject
    var hasUnrecorded = false
  }

  /// Creates the variables with the values that have been read before.
  init(_ values: ValueObject = [:], lookUp: @escaping @Sendable (String) -> String?) {
    self.lookUp = lookUp
    state = Mutex(State(values: values))
  }

  /// The value of a variable, or null.
  subscript(name: String) -> Value {
    state.withLock { state in
      if let value = state.values[name] { return value }
      let value = lookUp(name).map { Value.string($0) } ?? .null
      state.values[name] = value
      state.hasUnrecorded = true
      return value
    }
  }

  /// True if a variable was read that the journal does not have.
  var hasUnrecorded: Bool { state.withLock { $0.hasUnrecorded } }

  /// Records that the journal has all variables read so far.
  func noteRecorded() { state.withLock { $0.hasUnrecorded = false } }

  /// The variables that have been read, with null for those that are not set.
  var values: ValueObject { state.withLock { $0.values } }
}

extension RunOptions {
  /// The value of a variable of this process as a command inherits it, or nil if it is not set or not valid UTF-8.
  @Sendable static func variableOfProcess(_ name: String) -> String? {
    // If this process is a command of a workflow itself, this is the file for that step's outputs.
    if name.isEmpty || name == "FLOWRUN_OUTPUT" || name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "=") }) {
      return nil
    }
    return getenv(name).flatMap { String(validatingCString: $0) }
  }
}

extension PreparedWorkflow {
  /// The names of the environment variables that expressions refer to literally, as in `env.NAME`.
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
