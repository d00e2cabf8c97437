import FlowModel
import FlowPluginKit
import Subprocess

/// The environment of a child: flowrun's own, on top of it the workflow's and the step's, on top of that the inputs.
enum ChildEnvironment {
  /// The whole environment; the plain inherited one, which costs nothing to hand on, where nothing is added.
  static func variables(_ stated: [String: String], _ input: ValueObject) throws -> Environment {
    if stated.isEmpty && input.isEmpty { return .inherit }
    var added: [Environment.Key: String?] = [:]
    for (name, value) in stated { added[Environment.Key(stringLiteral: name)] = value }
    for member in input {
      if let problem = problem(with: member) { throw ActionError("command-invalid", problem, isRetryable: false) }
      added[Environment.Key(stringLiteral: member.key)] = text(member.value)
    }
    return Environment.inherit.updating(added)
  }

  /// What is wrong with a variable; nil: nothing.
  static func problem(with member: ValueObject.Member) -> String? {
    if member.key.isEmpty || member.key.contains("=") || member.key.utf8.contains(0) {
      return "'\(member.key)' is no name of an environment variable"
    }
    guard let text = text(member.value) else {
      return "the variable '\(member.key)' must be text, a number or a boolean, not \(member.value.kindName)"
    }
    return text.utf8.contains(0) ? "the variable '\(member.key)' cannot hold a null character" : nil
  }

  private static func text(_ value: Value) -> String? {
    switch value {
    case .string(let text): text
    case .boolean, .integer, .number: JSONText.write(value)
    case .null, .array, .object: nil
    }
  }
}
