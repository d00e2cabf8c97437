import FlowModel
import FlowPluginKit
import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The environment of a child: flowrun's own, on top of it the workflow's and the step's, on top of that the inputs, and
/// the variable by which whatever it leaves running is found.
enum ChildEnvironment {
  /// This process's own, read once.
  private static let own = ProcessInfo.processInfo.environment
  private static let ownEntries = entries(of: own)

  /// The whole environment as `NAME=value`, with the folders in which programs are looked for.
  static func make(_ stated: [String: String], _ input: ValueObject) throws -> (entries: CStrings, path: String) {
    if stated.isEmpty && input.isEmpty { return (ownEntries, own["PATH"] ?? "") }
    var variables = own.merging(stated) { $1 }
    for member in input {
      if let problem = problem(with: member) { throw ActionError("command-invalid", problem, isRetryable: false) }
      variables[member.key] = text(member.value)
    }
    return (entries(of: variables), variables["PATH"] ?? "")
  }

  private static func entries(of variables: [String: String]) -> CStrings {
    var entries = [LeftBehind.entry]
    for (name, value) in variables where name != LeftBehind.variable { entries.append("\(name)=\(value)") }
    return CStrings(entries)
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
