import FlowCompiled
import FlowDiagnostics
import FlowModel

/// Generates the Swift code for a workflow: types for its inputs, outputs and steps, and its compiled bytes.
struct WorkflowSource {
  /// The name of the workflow file without its folder.
  let file: String
  /// The name of the workflow's member of `Workflows`, and that of its type.
  let member: String
  let type: String
  let compiled: CompiledWorkflow
  /// The declarations of all actions that the workflow may use.
  let catalog: any ActionCatalog
  /// The access modifier `public ` in a library, or an empty string.
  let access: String

  /// Returns the name of a file without its extension.
  static func stem(_ file: String) -> String {
    for ending in [".yaml", ".yml"] where file.hasSuffix(ending) { return String(file.dropLast(ending.count)) }
    return file
  }

  /// The code of the workflow's member and type, for the enumeration `Workflows`.
  var text: String {
    let workflow = compiled.graph.workflow
    let comment = SwiftText.comment(
      workflow.description.map { "\($0) (\(file))" } ?? "The workflow of \(file).", indent: "")
    let inputs = SwiftFields(workflow.inputs, .given, access: access)
    return """
      \(comment)\(access)static let \(member) = \(type)()

      \(comment)\(access)struct \(type): PackagedWorkflow {
        /// The inputs of a run.
        \(access)struct Inputs: WorkflowInputs {
      \(SwiftText.indented(inputs.declarations + inputs.initializer + inputs.writing, by: "    "))
        }

        /// The outputs of a run.
      \(SwiftText.indented(outputs("Outputs", compiled.outputs), by: "  "))

        /// The steps, with the types of their outputs.
        \(access)enum Steps {
      \(SwiftText.indented(steps, by: "    "))
        }

        \(access)static let compiled: [UInt8] = \(SwiftText.bytes(compiled.bytes, indent: "  "))
      }

      """
  }

  private func outputs(_ name: String, _ fields: [FieldDeclaration], ofItems: Bool = false) -> String {
    let fields = SwiftFields(fields, ofItems ? .items : .all, access: access)
    return """
      \(access)struct \(name): WorkflowOutputs {
      \(SwiftText.indented(fields.declarations + fields.lenientReading(ofItems: ofItems), by: "  "))
      }
      """
  }

  /// Returns the outputs that a step declares. For a step with items, these are the outputs of each item.
  private func outputs(of step: Step) -> [FieldDeclaration] {
    guard let declaration = compiled.graph.workflow.includes[step.uses] ?? catalog.declaration(named: step.uses)
    else { return [] }
    let named = declaration.outputsFromInput.flatMap { step.with[$0]?.objectValue }?.keys ?? []
    return declaration.outputs(declaredBy: step.with) + named.map { FieldDeclaration($0, .any) }
  }

  private var steps: String {
    let workflow = compiled.graph.workflow
    // Steps of included files are skipped, because their ids are not valid in this file.
    let steps = workflow.steps.filter { StepID.isValid($0.id.text) }
    let names = SwiftNames.members(steps.map(\.id.text))
    let types = SwiftNames.types(steps.map { $0.id.text + "-outputs" }, besides: Set(names))
    var text = ""
    for (index, step) in steps.enumerated() {
      let fields = outputs(of: step)
      let type = fields.isEmpty ? "FlowKit.NoWorkflowOutputs" : types[index]
      text += "\(access)static let \(names[index]) = StepKey<\(type)>(\(SwiftText.literal(step.id.text)))\n"
      if !fields.isEmpty { text += outputs(type, fields, ofItems: step.options.fanOut != nil) + "\n" }
    }
    return text
  }
}
