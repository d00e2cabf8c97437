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
  /// This process's own, read once, and the variable that marks its descendants.
  private static let own: (entries: CStrings, path: String) = {
    var variables = inherited
    variables[LeftBehind.variable] = LeftBehind.value
    return (CStrings(environment: variables), variables["PATH"] ?? "")
  }()

  /// What this process's own gives to every child.
  private static var inherited: [String: String] {
    var variables = ProcessInfo.processInfo.environment
    // That of a step in which flowrun itself runs.
    variables[OutputFile.variable] = nil
    variables[InnerRuns.variable] = nil
    variables["MAKEFLAGS"] = variables["MAKEFLAGS"].flatMap(MakeFlags.withoutDescriptors)
    return variables
  }

  /// The whole environment as `NAME=value`, with the folders in which programs are looked for.
  ///
  /// - Parameters:
  ///   - withheld: variables of this process that the child does not get unless it is given them.
  ///   - outputs: the path of the file for its named outputs; nil: it has none.
  ///   - folders: the folders before PATH.
  static func make(
    _ stated: [String: String], _ input: ValueObject, without withheld: Set<String> = [], outputs: String? = nil,
    folders: [String] = []
  ) throws -> (entries: CStrings, path: String) {
    var variables = stated
    for member in input {
      if let problem = problem(with: member) { throw ActionError("command-invalid", problem, isRetryable: false) }
      if let other = variables.index(forKey: member.key), !variables[other].key.hasSameBytes(as: member.key) {
        throw ActionError(
          "command-invalid",
          "the variable '\(member.key)' differs from another one in Unicode normalization alone; give one of them another name",
          isRetryable: false)
      }
      variables[member.key] = text(member.value)
    }
    if variables["NO_COLOR"]?.isEmpty == false { variables["FORCE_COLOR"] = nil }
    variables[LeftBehind.variable] = nil
    variables[OutputFile.variable] = outputs
    if !folders.isEmpty {
      let path = variables["PATH"] ?? own.path
      variables["PATH"] = (folders + (path.isEmpty ? [] : [path])).joined(separator: ":")
    }
    if !withheld.isEmpty {
      variables.merge(inherited.filter { !withheld.contains($0.key) }) { stated, _ in stated }
      variables[LeftBehind.variable] = LeftBehind.value
      return (CStrings(environment: variables), variables["PATH"] ?? "")
    }
    if variables.isEmpty { return own }
    return (CStrings(environment: variables, over: own.entries), variables["PATH"] ?? own.path)
  }

  /// What is wrong with a variable; nil: nothing.
  static func problem(with member: ValueObject.Member) -> String? {
    if member.key.isEmpty || member.key.utf8.contains(UInt8(ascii: "=")) || member.key.utf8.contains(0) {
      return "'\(member.key)' is not a valid name of an environment variable"
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
