import FlowCommandKit
import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowSystem

/// A file of environment variables in the usual format: lines such as `NAME=value`, with comments, quotes and an
/// optional `export` before the name. A quoted value can have several lines.
///
/// References such as `$NAME` in values are not expanded.
enum EnvironmentFile {
  struct LineProblem: Error, Hashable {
    var line: Int
    var message: String
  }

  /// Returns the variables in a workflow's `env-file`s. Later files override earlier ones. Throws an
  /// ``InvalidWorkflow`` if a file is malformed or cannot be read, or if its name cannot be evaluated with these
  /// inputs.
  static func values(
    of workflow: Workflow, in folder: String, inputs: ValueObject
  ) throws(InvalidWorkflow) -> ValueObject {
    var values = ValueObject()
    for file in workflow.environmentFiles {
      let name: String?
      do throws(ExpressionError) {
        name = try Self.name(file.path, workflow.texts, inputs: inputs)
      } catch {
        throw InvalidWorkflow(description: "flowrun: env-file: \(TerminalText.visible(error.description))\n")
      }
      guard let name else { continue }
      let own = try Self.values(of: name, isRequired: file.isRequired, in: folder)
      for (variable, value) in own { values[variable] = value }
    }
    return values
  }

  /// Returns the variables in the `env-file`s of included files, by the index of each file's scope.
  static func scopeValues(of workflow: Workflow, in folder: String) throws(InvalidWorkflow) -> [Int: ValueObject] {
    var values: [Int: ValueObject] = [:]
    for (number, scope) in workflow.scopes.enumerated() {
      for file in scope.environmentFiles {
        let own = try Self.values(of: scope.path(of: file.path), isRequired: file.isRequired, in: folder)
        for (variable, value) in own { values[number, default: [:]][variable] = value }
      }
    }
    return values
  }

  /// Evaluates an entry of `env-file`. Returns nil if it is an expression that results in null or an empty string.
  static func name(_ template: String, _ texts: WorkflowTexts, inputs: ValueObject) throws(ExpressionError) -> String? {
    guard Template.containsExpression(template) else { return template }
    let value = try texts.template(template).evaluate(in: FixedContext(["inputs": .object(inputs)]))
    switch value {
    case .null, .string(""): return nil
    case .string(let name):
      guard !name.utf8.contains(0) else {
        throw ExpressionError(
          .evaluation, "expected a path without NUL characters, found \(value.shortText)", offset: 0,
          length: template.utf8.count)
      }
      return name
    default:
      throw ExpressionError(
        .evaluation, "expected the path of a file, found \(value.shortText)", offset: 0, length: template.utf8.count)
    }
  }

  /// Returns the absolute path of an `env-file`. `folder` is the folder of its workflow.
  static func path(of name: String, in folder: String) -> String {
    let name = FilePath.withHome(name)
    return FilePath.isAbsolute(name) ? name : "\(folder)/\(name)"
  }

  private static func values(
    of name: String, isRequired: Bool, in folder: String
  ) throws(InvalidWorkflow) -> ValueObject {
    if !isRequired, !FilePath.exists(path(of: name, in: folder)) { return [:] }
    let shown = TerminalText.visible(name)
    do {
      return try parse(try FileAccess.text(path(of: name, in: folder)))
    } catch let problem as LineProblem {
      throw InvalidWorkflow(description: "\(shown):\(problem.line): error: \(TerminalText.visible(problem.message))\n")
    } catch {
      throw InvalidWorkflow(
        description: "flowrun: cannot read the env-file \(error); create it, or remove 'env-file'\n")
    }
  }

  /// Parses the variables in `text`. If a name is repeated, its last value is used.
  static func parse(_ text: String) throws(LineProblem) -> ValueObject {
    var reader = VariableReader(text)
    return try reader.variables()
  }
}
