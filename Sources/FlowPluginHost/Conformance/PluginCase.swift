import FlowModel

/// A call to an action with its expected result: a line of a plugin's `cases.jsonl`.
///
/// ```json
/// {"action": "shout.text", "with": {"text": "hello"}, "outputs": {"text": "HELLO!"}}
/// {"action": "shout.text", "with": {"text": ""}, "error": "nothing-to-say"}
/// ```
public struct PluginCase: Sendable, Hashable {
  /// The expected result of a call.
  public enum Expectation: Sendable, Hashable {
    /// The call succeeds, and its outputs contain at least these.
    case outputs(ValueObject)
    /// The call fails with this error code.
    case error(String)
  }

  /// The full name of the action, such as `shout.text`.
  public var action: String
  /// The inputs that are passed to the action.
  public var inputs: ValueObject
  /// The result that the call must have.
  public var expectation: Expectation

  /// Creates a call with its expected result.
  public init(_ action: String, with inputs: ValueObject = [:], _ expectation: Expectation = .outputs([:])) {
    self.action = action
    self.inputs = inputs
    self.expectation = expectation
  }

  /// The reason why a line of a file is not a valid case.
  public struct CaseProblem: Error, Sendable, CustomStringConvertible {
    /// The line number, from 1.
    public let line: Int
    /// A description of the problem, without the line number.
    public let message: String
    /// The line number followed by the problem.
    public var description: String { "line \(line): \(message)" }
  }

  /// Parses a file with one case per line. Blank lines are ignored.
  public static func read(_ text: String) throws(CaseProblem) -> [PluginCase] {
    var cases: [PluginCase] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy(\.isWhitespace) { continue }
      let value: Value
      do throws(JSONProblem) {
        value = try JSONText.parse(String(line))
      } catch {
        throw CaseProblem(line: index + 1, message: "column \(error.column): \(error.message)")
      }
      do throws(Wrong) {
        cases.append(try read(value))
      } catch {
        throw CaseProblem(line: index + 1, message: error.message)
      }
    }
    return cases
  }

  private struct Wrong: Error {
    let message: String
    init(_ message: String) { self.message = message }
  }

  private static func read(_ value: Value) throws(Wrong) -> PluginCase {
    guard let members = value.objectValue else { throw Wrong("expected an object, found \(value.shortText)") }
    let known = ["action", "with", "outputs", "error"]
    if let key = members.keys.first(where: { !known.contains($0) }) {
      throw Wrong("'\(key)' is not a key of a case; the keys are \(known.joined(separator: ", "))")
    }
    guard let action = members["action"]?.stringValue else { throw Wrong("'action' must be the name of an action") }
    guard let inputs = (members["with"] ?? [:]).objectValue else { throw Wrong("'with' must be an object") }
    switch (members["outputs"], members["error"]) {
    case (.object(let outputs)?, nil): return PluginCase(action, with: inputs, .outputs(outputs))
    case (nil, .string(let code)?): return PluginCase(action, with: inputs, .error(code))
    case (nil, nil): return PluginCase(action, with: inputs)
    default: throw Wrong("a case expects either 'outputs', an object, or 'error', a code")
    }
  }
}
