import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowStore
import FlowSyntax
import FlowSystem

extension RunLibrary {
  /// What a workflow can be started with.
  package struct Form: Sendable {
    /// The workflow; nil: it cannot be read, or has an error.
    package var workflow: Workflow?
    /// Why it cannot be started; empty: it can.
    package var problem = ""
    /// Its inputs.
    package var fields: [Field] = []
    /// The absolute path of the folder at which typed paths start.
    package var folder = ""
    /// The launch reason of the run whose inputs fill the form; nil: the form is not filled.
    package var launch: LaunchReason?
  }

  /// An input of a form.
  package struct Field: Sendable {
    /// Its declaration.
    package let declaration: FieldDeclaration
    /// The default as a person would type it; nil: it has none.
    package let given: String?
    /// The absolute path that the default stands for; nil: it is not a path.
    package let path: String?
    /// The value of the run whose inputs fill the form, where it is not the default.
    package var filled: String?
  }

  /// A value for an input, as `-i` reads it.
  package struct GivenInput: Sendable {
    /// The input.
    package let field: FieldDeclaration
    /// Its value as text.
    package let text: String

    /// A value for an input.
    package init(_ field: FieldDeclaration, _ text: String) { (self.field, self.text) = (field, text) }
  }

  /// What starts a run again.
  package struct Repetition: Sendable {
    /// The values of its inputs.
    package var inputs: [GivenInput] = []
    /// Whether an input is a secret, which is not recorded.
    package var needsSecrets = false
    /// Its launch reason.
    package var launch = LaunchReason.user
  }

  /// The form of a workflow file, filled with the inputs of a run of it where there is one.
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

  /// The inputs with which a run is started again. Throws a ``UsageProblem`` where the workflow no longer has one of them.
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

  /// A value as `-i` reads it.
  private static func text(of value: Value, _ type: ValueType) -> String {
    switch type {
    case .string, .duration, .path: return value.stringValue ?? JSONText.write(value)
    case .enumeration(_, let base): return text(of: value, base)
    case .boolean, .integer, .number, .array, .object, .any:
      // A text that is read as JSON, such as `5`, is written as JSON, too.
      if let text = value.stringValue, type.value(of: text) == value { return text }
      return JSONText.write(value)
    }
  }

  /// Why a text cannot be the value of an input, in a sentence; nil: it can.
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
