import FlowCommandKit
import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowPluginKit
import FlowSyntax

/// Finds all diagnostics of a workflow without running it. `validate` and the language server use it.
package struct FileCheck {
  let result: LoadResult
  /// Diagnostics of the workflow file that were found after it was loaded.
  package let own: [Diagnostic]
  /// The diagnostics of other files: included files, and the manifests of plugins that the workflow uses.
  package let others: [DiagnosticReport.File]
  private let programs: [DiagnosticReport.File]

  init(bytes: [UInt8], file: String, _ installation: Installation) {
    self.init(
      WorkflowLoader(catalog: installation.registry, files: FileAccess.included).load(bytes: bytes, file: file),
      file: file, installation)
  }

  /// Checks a workflow that has already been loaded from `file`.
  package init(_ result: LoadResult, file: String, _ installation: Installation) {
    self.result = result
    let checked = result.graph.map { LoadedForPlugins(workflow: $0.workflow, file: file, result: result) }
    let found = checked.map { checked in
      BuiltInPlugins.all.flatMap(\.details.checks).flatMap { $0.diagnostics(of: checked) }
    }
    own =
      EnvironmentFileCheck.diagnostics(of: result, file: file) + StepNameCheck.diagnostics(of: result, file: file)
      + NamedFilesCheck.diagnostics(of: result, file: file) + VariableCheck.diagnostics(of: result, file: file)
      + (found ?? [])
    programs = result.graph.map { installation.programProblems(of: $0.workflow) } ?? []
    others = result.included.map { DiagnosticReport.File(source: $0.source, diagnostics: $0.diagnostics) } + programs
  }

  /// True if the workflow and the programs of its plugins have no errors.
  var isValid: Bool { result.graph != nil && programs.isEmpty && !own.containsError }

  /// The workflow file with all of its diagnostics.
  var report: DiagnosticReport.File {
    DiagnosticReport.File(source: result.source, diagnostics: result.diagnostics + own)
  }
}

/// The data that the checks of plugins need.
private struct LoadedForPlugins: CheckedWorkflow {
  let workflow: Workflow
  let file: String
  let result: LoadResult

  func span(of step: StepIndex, key: String?) -> TextSpan? { result.span(of: step, key: key) }
  func value(of step: StepIndex, key: String) -> PlacedValue? { result.value(of: step, key: key) }
  func isOpen(_ value: Value) -> Bool { value.containsExpression }
  func read(_ path: String) -> [UInt8]? { try? FileAccess.read(path) }
}
