import FlowCompiled
import FlowDiagnostics
import FlowModel

/// A workflow as Swift: its inputs, outputs and steps as types, and its compiled bytes.
struct WorkflowSource {
  /// The file's name without its folder.
  let file: String
  /// The name of the workflow in Swift.
  let member: String
  let compiled: CompiledWorkflow
  /// The interfaces of all actions.
  let catalog: any ActionCatalog

  private var type: String { SwiftNames.type(WorkflowSource.stem(file)) }

  /// The name of a file without its ending.
  static func stem(_ file: String) -> String {
    for ending in [".yaml", ".yml"] where file.hasSuffix(ending) { return String(file.dropLast(ending.count)) }
    return file
  }

  /// The members of `Workflows`.
  var text: String {
    let workflow = compiled.graph.workflow
    let comment = SwiftText.comment(
      workflow.description.map { "\($0) (\(file))" } ?? "The workflow of \(file).", indent: "")
    let inputs = SwiftFields(workflow.inputs, .given)
    return """
      \(comment)static let \(member) = `\(type)`()

      \(comment)struct `\(type)`: PackagedWorkflow {
        /// The inputs of a run.
        struct Inputs: WorkflowInputs {
      \(SwiftText.indented(inputs.declarations + inputs.initializer + inputs.writing, by: "    "))
        }

        /// The outputs of a run.
      \(SwiftText.indented(Self.outputs("Outputs", compiled.outputs), by: "  "))

        /// The steps, with the types of their outputs.
        enum Steps {
      \(SwiftText.indented(steps, by: "    "))
        }

        static let compiled: [UInt8] = \(SwiftText.bytes(compiled.bytes, indent: "  "))
      }

      """
  }

  private static func outputs(_ name: String, _ fields: [FieldDeclaration]) -> String {
    let fields = SwiftFields(fields, .all)
    return """
      struct \(name): WorkflowOutputs {
      \(SwiftText.indented(fields.declarations + fields.lenientReading, by: "  "))
      }
      """
  }

  /// The declared outputs of a step. The outputs of a step that runs for several items are lists, which have no type here.
  private func outputs(of step: Step) -> [FieldDeclaration] {
    guard step.options.fanOut == nil,
      let declaration = compiled.graph.workflow.includes[step.uses] ?? catalog.declaration(named: step.uses)
    else { return [] }
    let named = declaration.outputsFromInput.flatMap { step.with[$0]?.objectValue }?.keys ?? []
    return declaration.outputs(declaredBy: step.with) + named.map { FieldDeclaration($0, .any) }
  }

  private var steps: String {
    let workflow = compiled.graph.workflow
    // Steps of included files have no id of their own, and are left out.
    let steps = workflow.steps.filter { StepID.isValid($0.id.text) }
    let names = SwiftNames.members(steps.map(\.id.text))
    let types = SwiftNames.members(steps.map { $0.id.text + "-outputs" }, isType: true)
    var text = ""
    for (index, step) in steps.enumerated() {
      let fields = outputs(of: step)
      let type = fields.isEmpty ? "NoWorkflowOutputs" : types[index]
      text += "static let \(names[index]) = StepKey<\(type)>(\(SwiftText.literal(step.id.text)))\n"
      if !fields.isEmpty { text += Self.outputs(type, fields) + "\n" }
    }
    return text
  }
}
