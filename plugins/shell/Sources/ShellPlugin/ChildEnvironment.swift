import FlowModel
import FlowPluginKit
import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The environment of a command. The variables of flowrun are overridden by those of the workflow, these by those of
/// the step, and these by the `env` input. An additional variable marks all descendants of this process.
struct ChildEnvironment {
  /// All variables in the form `NAME=value`, as the system expects them.
  let entries: CStrings
  /// The value of `PATH`, the folders in which programs are searched for.
  let path: String
  /// The value of `PWD`, or nil if the variable is not set.
  private let folder: String?
  /// True if the environment defines bash functions. Such a function may replace a program of the same name.
  let hasFunctions: Bool

  private init(_ variables: [String: String], over base: ChildEnvironment? = nil) {
    if let base {
      entries = CStrings(environment: variables, over: base.entries)
    } else {
      entries = CStrings(environment: variables)
    }
    path = variables["PATH"] ?? base?.path ?? ""
    folder = variables["PWD"] ?? base?.folder
    hasFunctions = base?.hasFunctions == true || variables.keys.contains { $0.hasPrefix("BASH_FUNC_") }
  }

  /// This process's environment, which is read once, with the variable that marks descendants.
  private static let own: ChildEnvironment = {
    var variables = inherited
    variables[LeftBehind.variable] = LeftBehind.value
    return ChildEnvironment(variables)
  }()

  /// Returns the environment for starting a program in the folder `place` without a shell. `PWD` is set as a shell
  /// would set it.
  func entries(in place: String) -> CStrings {
    var (stated, actual) = (stat(), stat())
    guard stat(place, &actual) == 0 else { return entries }
    if let folder, folder.first == "/", stat(folder, &stated) == 0, stated.st_dev == actual.st_dev,
      stated.st_ino == actual.st_ino
    {
      return entries
    }
    guard let path = realpath(place, nil) else { return entries }
    defer { free(path) }
    return CStrings(environment: ["PWD": String(cString: path)], over: entries)
  }

  /// The variables of this process that every child inherits.
  private static var inherited: [String: String] {
    var variables = ProcessInfo.processInfo.environment
    // If flowrun itself runs inside a step, this variable belongs to the outer step.
    variables[OutputFile.variable] = nil
    variables[InnerRuns.variable] = nil
    variables["MAKEFLAGS"] = variables["MAKEFLAGS"].flatMap(MakeFlags.withoutDescriptors)
    return variables
  }

  /// Creates the environment of a command by overriding this process's variables. Throws an ``ActionError`` if a name
  /// or a value is invalid.
  ///
  /// - Parameters:
  ///   - withheld: variables of this process that the child must not inherit.
  ///   - outputs: the path of the file for named outputs, or nil if there is none.
  ///   - folders: folders to search before those in `PATH`.
  static func make(
    _ stated: [String: String], _ input: ValueObject, without withheld: Set<String> = [], outputs: String? = nil,
    folders: [String] = []
  ) throws -> ChildEnvironment {
    if let (name, _) = stated.first(where: { $0.value.utf8.contains(0) }) {
      throw ActionError("command-invalid", nullProblem(name), isRetryable: false)
    }
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
      return ChildEnvironment(variables)
    }
    if variables.isEmpty { return own }
    return ChildEnvironment(variables, over: own)
  }

  /// Returns the reason why the name or the value of a variable is invalid, or nil if both are valid.
  static func problem(with member: ValueObject.Member) -> String? {
    if member.key.isEmpty || member.key.utf8.contains(UInt8(ascii: "=")) || member.key.utf8.contains(0) {
      return "'\(member.key)' is not a valid name of an environment variable"
    }
    guard let text = text(member.value) else {
      return "the variable '\(member.key)' must be text, a number or a boolean, not \(member.value.kindName)"
    }
    return text.utf8.contains(0) ? nullProblem(member.key) : nil
  }

  /// Returns the error message for a value with a null character. The system would cut the value off there.
  private static func nullProblem(_ name: String) -> String { "the variable '\(name)' cannot hold a null character" }

  private static func text(_ value: Value) -> String? {
    switch value {
    case .string(let text): text
    case .boolean, .integer, .number: JSONText.write(value)
    case .null, .array, .object: nil
    }
  }
}
