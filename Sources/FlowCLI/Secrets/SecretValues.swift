import FlowCommandKit
import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowSyntax
import FlowSystem

/// Fetches the secrets that a workflow declares, before any step runs.
package struct SecretValues {
  private let workflow: Workflow
  private let loaded: LoadResult
  private let folder: String
  private let fileEnvironment: ValueObject
  private let inputs: ValueObject
  private let runsCommands: Bool

  package struct SecretProblem: Error {
    package var message: String
    var help: String?
    /// True if the secret does not exist. That is allowed for an optional secret.
    var isAbsence = false
  }

  /// Returns the secrets of the workflow in `folder`, by name. The value of a missing optional secret is null. Throws
  /// an ``InvalidWorkflow`` with the location of the first unavailable secret.
  ///
  /// - Parameter runsCommands: If false, commands that print secrets are not run, and the values of these secrets are
  ///   null.
  static func fetch(
    for workflow: Workflow, _ loaded: LoadResult, in folder: String, _ fileEnvironment: ValueObject,
    inputs: ValueObject, runsCommands: Bool = true
  ) throws(InvalidWorkflow) -> ValueObject {
    if workflow.secrets.isEmpty { return [:] }
    let values = SecretValues(
      workflow: workflow, loaded: loaded, folder: folder, fileEnvironment: fileEnvironment, inputs: inputs,
      runsCommands: runsCommands)
    var result = ValueObject()
    for secret in workflow.secrets { result[secret.name] = try values.value(of: secret) }
    return result
  }

  private func value(of secret: SecretDeclaration) throws(InvalidWorkflow) -> Value {
    if case .command = secret.source, !runsCommands { return .null }
    do throws(SecretProblem) {
      return .string(try Self.checked(try text(of: try source(of: secret))))
    } catch {
      if error.isAbsence, !secret.isRequired { return .null }
      let span = loaded.span(ofSecret: secret.name)
      let place = span.map { LineTable(loaded.source).location(of: $0.start) }.map { ":\($0.line):\($0.column)" } ?? ""
      let help =
        error.isAbsence ? "; \(error.help ?? "give it"), or write 'required: false'" : error.help.map { "; \($0)" }
      throw InvalidWorkflow(
        description: "\(TerminalText.visible(loaded.source.file))\(place): error: the secret '\(secret.name)' "
          + "\(TerminalText.visible(error.message + (help ?? "")))\n")
    }
  }

  private func source(of secret: SecretDeclaration) throws(SecretProblem) -> SecretDeclaration.Source {
    do throws(ExpressionError) {
      let source = try secret.source(inputs: inputs, workflow.texts)
      switch source {
      case .environment(""), .file(""):
        throw ExpressionError(.evaluation, "", offset: 0, length: 0)
      default: break
      }
      // C functions would ignore everything after a NUL.
      if let text = source.texts.first(where: { $0.utf8.contains(0) }) {
        throw ExpressionError(
          .evaluation, "expected a text without NUL characters, found \(Value.string(text).shortText)", offset: 0,
          length: 0)
      }
      return source
    } catch {
      if error.message.isEmpty {
        throw SecretProblem(
          message: "is missing: with these inputs its source is an empty text", help: "give the input", isAbsence: true)
      }
      throw SecretProblem(message: "has a source that cannot be evaluated: \(error.description)")
    }
  }

  private func text(of source: SecretDeclaration.Source) throws(SecretProblem) -> String {
    switch source {
    case .environment(let name):
      if let text = getenv(name) {
        return try Self.decoded(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
      }
      if let text = fileEnvironment[name]?.stringValue { return text }
      throw SecretProblem(message: "is missing: there is no variable \(name)", help: "set \(name)", isAbsence: true)
    case .file(let path): return try Self.text(ofFile: path, in: folder)
    case .command(let words): return try SecretCommand.output(of: words, in: folder)
    }
  }

  private static func text(ofFile name: String, in folder: String) throws(SecretProblem) -> String {
    let named = FilePath.withHome(name)
    let path = FilePath.isAbsolute(named) ? named : "\(folder)/\(named)"
    guard FilePath.exists(path) else {
      throw SecretProblem(message: "is missing: there is no file '\(path)'", help: "make it", isAbsence: true)
    }
    guard FileAccess.isRegular(path) else {
      throw SecretProblem(message: "cannot be read: '\(path)' is empty or not a file")
    }
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try FileAccess.read(path, limit: Limits.secretBytes + 2)
    } catch {
      throw SecretProblem(message: "cannot be read: \(error)")
    }
    return try decoded(withoutLineBreak(bytes))
  }

  /// Returns the bytes without the last line break, which editors and programs append.
  static func withoutLineBreak(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.last != UInt8(ascii: "\n") { return bytes }
    return bytes.dropLast().last == UInt8(ascii: "\r") ? bytes.dropLast(2) : bytes.dropLast()
  }

  static func decoded(_ bytes: [UInt8]) throws(SecretProblem) -> String {
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw SecretProblem(message: "is not UTF-8 text", help: "store binary data as base64")
    }
    return text
  }

  private static let keepLess = "keep a key there instead of the data"

  /// Returns a secret. Throws if it is empty, too short or too long. Masking a short secret would also hide unrelated
  /// text.
  package static func checked(_ text: String) throws(SecretProblem) -> String {
    guard !text.isEmpty else { throw SecretProblem(message: "is empty") }
    guard text.count >= Limits.secretCharacters else {
      throw SecretProblem(
        message:
          "has \(text.count) character\(text.count == 1 ? "" : "s"), too few to be hidden in the output",
        help: "use at least \(Limits.secretCharacters)")
    }
    guard text.utf8.count <= Limits.secretBytes else {
      throw SecretProblem(message: "has more than \(Limits.secretBytes >> 10) KiB", help: keepLess)
    }
    guard text.count(where: \.isNewline) < Limits.secretLines else {
      throw SecretProblem(message: "has more than \(Limits.secretLines) lines", help: keepLess)
    }
    return text
  }
}
