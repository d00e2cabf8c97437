import FlowCLI
import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowInsightCommands
import FlowModel
import FlowPluginKit
import FlowStore
import FlowSyntax
import FlowSystem

extension RunLibrary {
  /// The content of the form for starting a workflow.
  package struct Form: Sendable {
    /// The workflow, or nil if it cannot be read or has errors.
    package var workflow: Workflow?
    /// The reason why the workflow cannot be started, or an empty string if it can.
    package var problem = ""
    package var fields: [Field] = []
    /// The absolute path of the folder to which relative paths in the form refer.
    package var folder = ""
    /// The launch reason of the run that the form copies its inputs from, or nil if the form shows the defaults.
    package var launch: LaunchReason?
  }

  package struct Field: Sendable {
    package let declaration: FieldDeclaration
    /// The default value as a user would enter it, or nil if there is none.
    package let given: String?
    /// The absolute path to which the default value refers, or nil if it is not a path.
    package let path: String?
    /// The value in the run that the form copies its inputs from, if it differs from the default.
    package var filled: String?
  }

  /// The value that a person has entered for an input, in the form that `-i` accepts.
  package struct GivenInput: Sendable {
    package let field: FieldDeclaration
    package let text: String

    package init(_ field: FieldDeclaration, _ text: String) { (self.field, self.text) = (field, text) }
  }

  /// The settings for starting a run again.
  package struct Repetition: Sendable {
    package var inputs: [GivenInput] = []
    /// True if the run had a secret input. The person must enter it again, because secrets are not recorded.
    package var needsSecrets = false
    package var launch = LaunchReason.user
  }

  /// Returns the form for a workflow file. If a run is given, the form shows the run's inputs.
  package func form(of file: String, filledFrom run: StoredRun? = nil) -> Form {
    do {
      let installation = try Installation(around: file, given: pluginFolders)
      let result = WorkflowLoader(catalog: installation.registry, files: FileAccess.included).load(
        bytes: try FileAccess.read(file), file: file)
      guard let graph = result.graph else { return Form(problem: result.rendered(usesColor: false)) }
      guard graph.workflow.keepsHistory else {
        return Form(
          workflow: graph.workflow, problem: "Its runs are not recorded (history: false); start it on the command line."
        )
      }
      return Self.form(graph.workflow, FilePath.folder(of: file), run.flatMap { RunHeader($0.header) })
    } catch {
      return Form(problem: Self.message(of: error))
    }
  }

  private static func form(_ workflow: Workflow, _ folder: String, _ header: RunHeader?) -> Form {
    var form = Form(workflow: workflow, folder: folder)
    form.launch = header?.launch.reason
    form.fields = workflow.inputs.map { declaration in
      let bound = declaration.defaultValue.map { value in
        InputBinding.absolutePaths(
          in: [declaration.name: value], of: [declaration], dataFolder: "\(folder)/.flowrun/\(workflow.name)",
          workflowFolder: folder)[declaration.name] ?? value
      }
      var path: String?
      if case .path = declaration.type { path = bound?.stringValue }
      let given = declaration.defaultValue.flatMap { $0.isNull ? nil : text(of: $0, declaration.type) }
      var field = Field(declaration: declaration, given: given, path: path)
      if let value = header?.inputs[declaration.name], value != bound ?? .null, !declaration.isSecret {
        field.filled = text(of: value, declaration.type)
      }
      return field
    }
    return form
  }

  /// Returns the settings for starting a run again. Throws a ``UsageProblem`` if the run's inputs cannot be read, or if
  /// the workflow no longer has one of them.
  package func repetition(of run: StoredRun, _ workflow: Workflow) throws -> Repetition {
    guard let header = RunHeader(run.header) else { throw UsageProblem("the inputs of this run cannot be read") }
    var repetition = Repetition(launch: header.launch.reason)
    for (name, value) in header.inputs where !value.isNull {
      guard let field = workflow.inputs.first(where: { $0.name == name }) else {
        throw UsageProblem("the workflow no longer has the input '\(name)'; use Change inputs")
      }
      if field.isSecret {
        repetition.needsSecrets = true
      } else {
        repetition.inputs.append(GivenInput(field, Self.text(of: value, field.type)))
      }
    }
    return repetition
  }

  /// Returns a value in the form that `-i` accepts.
  private static func text(of value: Value, _ type: ValueType) -> String {
    switch type {
    case .string, .duration, .path: return value.stringValue ?? JSONText.write(value)
    case .enumeration(_, let base): return text(of: value, base)
    case .boolean, .integer, .number, .array, .object, .any:
      // A string that looks like JSON, such as `5`, must be written as a JSON string.
      if let text = value.stringValue, type.value(of: text) == value { return text }
      return JSONText.write(value)
    }
  }

  /// Returns the reason why the entered value is not valid for its input, or nil if it is.
  package static func problem(of given: GivenInput) -> String? {
    let (field, text) = (given.field, given.text)
    if text.utf8.contains(0) { return "The value has a NUL character, which no input can have." }
    if field.isSecret {
      do throws(SecretValues.SecretProblem) {
        _ = try SecretValues.checked(text)
        return nil
      } catch {
        return "The secret \(error.message)."
      }
    }
    guard let mismatch = field.type.mismatch(of: field.type.value(of: text), at: field.name) else { return nil }
    return "The value was not accepted: \(mismatch.description)" + (mismatch.help.map { "; \($0)" } ?? "") + "."
  }
}
