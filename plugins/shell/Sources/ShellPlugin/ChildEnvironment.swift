import FlowModel
import FlowPluginKit
import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The environment of a child: flowrun's own, overridden by the workflow's, the step's and the inputs' variables, plus
/// the variable that marks its descendants.
enum ChildEnvironment {
  /// The environment of this process, read once, with the variable that marks its descendants.
  private static let own: (entries: CStrings, path: String) = {
    var variables = inherited
    variables[LeftBehind.variable] = LeftBehind.value
    return (CStrings(environment: variables), variables["PATH"] ?? "")
  }()

  /// The variables of this process that every child inherits.
  private static var inherited: [String: String] {
    var variables = ProcessInfo.processInfo.environment
    // If flowrun itself runs in a step, this is the outer step's variable.
    variables[OutputFile.variable] = nil
    variables[InnerRuns.variable] = nil
    variables["MAKEFLAGS"] = variables["MAKEFLAGS"].flatMap(MakeFlags.withoutDescriptors)
    return variables
  }

  /// The whole environment as `NAME=value`, and the folders in which programs are searched.
  ///
  /// - Parameters:
  /// - withheld: variables of this process that the child does not inherit.
  /// - outputs: the path of the file for named outputs, or nil if there is none.
  /// - folders: the folders to search before PATH.
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

  /// The problem of a variable, or nil.
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
