import FlowModel
import FlowPluginKit

/// The outputs that a step declares. They determine how the values written by its command are parsed.
struct NamedOutputs {
  let fields: [FieldDeclaration]

  /// A problem with the file in ``OutputFile/variable``. The message is a clause whose subject is the file.
  struct OutputProblem: Error, Hashable {
    var message: String

    init(_ message: String) { self.message = message }

    var error: ActionError {
      ActionError("output-invalid", "\(OutputFile.variable) \(message)", isRetryable: false)
    }
  }

  /// Creates the outputs from the `outputs` input. Throws an ``ActionError`` if a declaration is invalid.
  init(declaredBy declarations: ValueObject) throws {
    if let problem = Self.problems(with: declarations).first {
      throw ActionError("command-invalid", "'\(problem.keyPath)': \(problem.message)", isRetryable: false)
    }
    fields = declarations.compactMap { try? FieldDeclaration($0.key, declaration: $0.value) }
  }

  // MARK: Declarations

  /// Returns the problems with the declarations, each with its key path in the step's inputs.
  static func problems(with declarations: ValueObject) -> [InputProblem] {
    var problems: [InputProblem] = []
    var names: Set<String> = []
    for (name, declaration) in declarations {
      let keyPath = "outputs.\(name)"
      if RunShell.Output.names.contains(name.lowercased()) {
        problems.append(InputProblem(keyPath, "every command has the output '\(name)'", help: "choose another name"))
      } else if !names.insert(name.lowercased()).inserted {
        problems.append(
          InputProblem(keyPath, "another output is called '\(name)' but for case, which expressions ignore"))
      }
      do throws(TypeMismatch) {
        let field = try FieldDeclaration(name, declaration: declaration)
        guard field.isSecret else { continue }
        problems.append(
          InputProblem(
            "\(keyPath).secret", "a command's output cannot be a secret",
            help: "let the workflow fetch it: secrets: { \(name): { command: [program, argument] } }"))
      } catch {
        problems.append(
          InputProblem(error.path.isEmpty ? keyPath : "\(keyPath).\(error.path)", error.description, help: error.help))
      }
    }
    return problems
  }

  // MARK: Values

  /// Parses the values that the command wrote and converts them to their declared types. An output that was not written
  /// has its default value or is null. Throws if a required output is missing, or an output is invalid or undeclared.
  ///
  /// - Parameter bytes: the contents of the file, or nil if the command removed it.
  func values(in bytes: [UInt8]?) throws(OutputProblem) -> ValueObject {
    var texts: [String: String] = [:]
    // As on GitHub, the last value of a name is used.
    for line in try NamedOutput.all(in: bytes ?? []) {
      guard fields.contains(where: { $0.name.hasSameBytes(as: line.name) }) else { throw undeclared(line) }
      texts[line.name] = line.text
    }
    var values = ValueObject()
    var missing: [String] = []
    for field in fields {
      if let text = texts[field.name] {
        let value = field.type.value(of: text)
        if let mismatch = field.type.mismatch(of: value, at: field.name) {
          throw OutputProblem(
            "does not match the step's outputs: \(mismatch.description)" + (mismatch.help.map { "; \($0)" } ?? ""))
        }
        values[field.name] = value
      } else {
        if field.isRequired, field.defaultValue == nil { missing.append(field.name) }
        values[field.name] = field.defaultValue ?? .null
      }
    }
    guard let first = missing.first else { return values }
    let names = missing.map { "'\($0)'" }.joined(separator: ", ")
    throw OutputProblem(
      (bytes == nil ? "was removed by the command, and so lacks " : "lacks ")
        + (missing.count == 1 ? "the output \(names)" : "the outputs \(names)")
        + "; write echo \"\(first)=…\" >> \"$\(OutputFile.variable)\", or declare 'required: false'")
  }

  private func undeclared(_ entry: NamedOutput) -> OutputProblem {
    let trimmed = entry.name.filter { $0 != " " && $0 != "\t" }
    let names = fields.map { "'\($0.name)'" }.joined(separator: ", ")
    let help =
      trimmed != entry.name && fields.contains { $0.name == trimmed }
      ? "write '\(trimmed)=…' without spaces" : "declare it under 'outputs' of the step, which has \(names)"
    return OutputProblem(
      "has the undeclared output \(Value.string(entry.name).shortText) in line \(entry.line); \(help)")
  }
}
