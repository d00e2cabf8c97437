import FlowDiagnostics
import FlowModel
import FlowPlatform
import FlowPluginKit
import SyncRecords

/// Checks a workflow's use of records against the schema of its `sync.connect` step. A workflow with several schemas is
/// not checked, because only a run determines which one is used.
struct RecordUseCheck: WorkflowCheckProvider {
  let schemas: SchemaSource

  func diagnostics(of checked: any CheckedWorkflow) -> [Diagnostic] {
    let workflow = checked.workflow
    let steps = workflow.steps
    let names = steps.indices.compactMap { index -> (step: Int, name: String)? in
      guard steps[index].uses == "sync.connect", let name = steps[index].with["schema"] else { return nil }
      // A name computed during the run may refer to any schema.
      let text = checked.isOpen(name) ? "" : name.stringValue ?? ""
      // The same relative path in two workflow files may refer to two schemas.
      return (index, workflow.scope(of: StepIndex(index)).map { workflow.scopes[$0].path(of: text) } ?? text)
    }
    guard let first = names.first, !first.name.isEmpty, names.allSatisfy({ $0.name == first.name }) else { return [] }
    let place = checked.value(of: StepIndex(first.step), key: "with")?.member("schema")?.value.span
    guard let span = place ?? checked.span(of: StepIndex(first.step), key: nil) else { return [] }
    let folder = FilePath.folder(of: FilePath.absolute(checked.file))
    let path = FilePath.isAbsolute(first.name) ? first.name : folder + "/" + first.name
    if let compiled = schemas.compiled(path) {
      return (try? compiled.schema()).map { diagnostics(of: checked, $0) } ?? []
    }
    guard let reader = schemas.reader else { return [] }
    guard let bytes = checked.read(path) else {
      return [Diagnostic(.inputDoubtful, "the schema '\(first.name)' cannot be read", at: span)]
    }
    let read = reader.read(bytes, file: path)
    guard let schema = read.schema else {
      let count = read.diagnostics.count(where: \.isError)
      return [
        Diagnostic(
          .inputRejected, "the schema '\(first.name)' has \(count) error\(count == 1 ? "" : "s")", at: span,
          help: "'flowrun validate \(first.name)' shows them")
      ]
    }
    return diagnostics(of: checked, schema)
  }

  private func diagnostics(of checked: any CheckedWorkflow, _ schema: RecordSchema) -> [Diagnostic] {
    var use = RecordUse(
      schema.withDevices, isOpen: checked.isOpen,
      queryProblem: { SyncReports.problem(withQuery: $0, schema.withDevices) })
    for (index, step) in checked.workflow.steps.enumerated() {
      guard let with = checked.value(of: StepIndex(index), key: "with") else { continue }
      use.check(step.uses, with)
    }
    return use.diagnostics
  }
}
