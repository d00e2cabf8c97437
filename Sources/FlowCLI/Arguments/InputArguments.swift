import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSystem

/// Reads the options `-i k=v` and `-i k=@FILE`. Values are converted to the types that the workflow declares.
package enum InputArguments {
  /// Returns the values of inputs, by name. Throws a usage error if an input is unknown, missing or of the wrong type.
  ///
  /// Relative paths in the arguments start at the working folder of this process. Relative paths in defaults start at
  /// the folders of `run`. `words` are the words after `--`. They are the value of the input `args`.
  package static func read(
    _ arguments: [String], words: [String] = [], for fields: [FieldDeclaration], run: RunInformation
  ) throws(UsageProblem) -> ValueObject {
    var values = try Self.values(of: words, besides: arguments, for: fields)
    for argument in arguments {
      // The text is split at a byte, so a combining character after `=` belongs to the value.
      guard case (let name, let text?) = argument.parted(at: "="), !name.isEmpty else {
        throw UsageProblem("-i '\(argument)': write -i name=value or -i name=@FILE")
      }
      guard let field = fields.first(where: { $0.name.hasSameBytes(as: name) }) else {
        throw unknown(name, fields)
      }
      values[name] = try field.isSecret ? readSecret(text, for: field) : read(text, for: field)
    }
    for field in fields where values[field.name] == nil {
      if let value = field.defaultValue {
        let bound = InputBinding.absolutePaths(
          in: [field.name: value], of: [field], dataFolder: run.dataFolder, workflowFolder: run.workflowFolder)
        values[field.name] = bound[field.name]
      } else if field.isRequired {
        throw UsageProblem("input '\(field.name)' (\(field.type.name)) is missing: give it with -i \(field.name)=…")
      } else {
        values[field.name] = .null
      }
    }
    return values
  }

  /// Returns the input `args`, whose value is the list of words after `--`. Throws a usage error if the workflow does
  /// not declare it as a list of strings, or if it is also given with `-i`. Without words, returns an empty list if the
  /// input is required and not given with `-i`, and otherwise no input.
  private static func values(
    of words: [String], besides arguments: [String], for fields: [FieldDeclaration]
  ) throws(UsageProblem) -> ValueObject {
    let field = fields.first { $0.name == "args" && $0.type == .array(of: .string) && !$0.isSecret }
    let isGiven = arguments.contains { $0.utf8.starts(with: "args=".utf8) }
    guard !words.isEmpty else {
      return field?.isRequired == true && !isGiven ? ["args": .array([])] : [:]
    }
    guard field != nil else {
      throw UsageProblem(
        "words after '--' are the input 'args', which this workflow does not declare as a list of strings; write "
          + "inputs: { args: { type: array, items: { type: string } } }")
    }
    guard !isGiven else { throw UsageProblem("-i args= and words after '--' are the same input; use one of them") }
    return ["args": .array(words.map { .string($0) })]
  }

  /// Returns the secret inputs of a resumed run. All other inputs keep the values that they had when the run was
  /// started. Throws a usage error if another input is given or if a secret that the run had is missing.
  static func readSecrets(
    _ arguments: [String], for fields: [FieldDeclaration], besides header: RunHeader
  ) throws(UsageProblem) -> ValueObject {
    var values = ValueObject()
    for argument in arguments {
      let (name, text) = argument.parted(at: "=")
      guard let field = fields.first(where: { $0.name.hasSameBytes(as: name) }) else { throw unknown(name, fields) }
      guard field.isSecret else {
        throw UsageProblem("-i '\(name)': a resumed run keeps its inputs; leave it out")
      }
      values[name] = try readSecret(text ?? "", for: field)
    }
    for field in fields where field.isSecret && values[field.name] == nil && header.hasPlaceholders {
      guard header.inputs[field.name]?.stringValue != nil else { continue }
      throw UsageProblem(
        "input '\(field.name)' is a secret, which is not recorded: give it again with -i \(field.name)=@FILE")
    }
    return values
  }

  /// Reads a secret from a file or from standard input. A secret on the command line itself is refused, because other
  /// users can see the command line.
  private static func readSecret(_ text: String, for field: FieldDeclaration) throws(UsageProblem) -> Value {
    guard let named = text.pathAfterAt, !named.isEmpty else {
      throw UsageProblem(
        "input '\(field.name)' is a secret, and command lines are visible to other users: write -i \(field.name)=@FILE, or "
          + "\(field.name)=@- for standard input")
    }
    let path = named == "-" ? "/dev/stdin" : named
    do {
      let bytes = try FileAccess.read(path, limit: Limits.secretBytes + 2)
      return .string(try SecretValues.checked(try SecretValues.decoded(SecretValues.withoutLineBreak(bytes))))
    } catch let problem as SecretValues.SecretProblem {
      throw UsageProblem("input '\(field.name)' \(problem.message)" + (problem.help.map { "; \($0)" } ?? ""))
    } catch {
      throw UsageProblem("input '\(field.name)': cannot read \(error)")
    }
  }

  private static func unknown(_ name: String, _ fields: [FieldDeclaration]) -> UsageProblem {
    guard !fields.isEmpty else { return UsageProblem("-i '\(name)': this workflow has no inputs") }
    let nearest = NearestName.of(name, among: fields.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
    let names = fields.map { "'\($0.name)'" }.joined(separator: ", ")
    return UsageProblem("-i '\(name)': no such input; this workflow has \(names)\(nearest)")
  }

  private static func read(_ text: String, for field: FieldDeclaration) throws(UsageProblem) -> Value {
    var text = text
    if let path = text.pathAfterAt {
      do throws(FileProblem) {
        text = try FileAccess.text(path)
      } catch {
        throw UsageProblem("input '\(field.name)': cannot read \(error)")
      }
    }
    let value = field.type.value(of: text)
    if let mismatch = field.type.mismatch(of: value, at: field.name) {
      throw UsageProblem("input \(mismatch.description)" + (mismatch.help.map { "; \($0)" } ?? ""))
    }
    let here = FilePath.normalized(".")
    let bound = InputBinding.absolutePaths(
      in: [field.name: value], of: [field], dataFolder: here, workflowFolder: here)
    return bound[field.name] ?? value
  }
}
