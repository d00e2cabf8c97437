import FlowCommandKit
import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowSyntax
import FlowSystem

/// Reports an `env-file` that is missing or malformed. This check reads the file.
enum EnvironmentFileCheck {
  /// Returns the errors for a workflow that was loaded from `file`. An `env-file` whose name depends on inputs is
  /// checked only when the workflow runs.
  static func diagnostics(of result: LoadResult, file: String) -> [Diagnostic] {
    guard let workflow = result.graph?.workflow else { return [] }
    let folder = FilePath.folder(of: FilePath.absolute(file))
    var diagnostics: [Diagnostic] = []
    for name in workflow.environmentFiles where !Template.containsExpression(name.path) {
      guard let span = result.span(ofWorkflowKey: "env-file"), let problem = problem(with: name, in: folder) else {
        continue
      }
      diagnostics.append(diagnostic(problem, at: span))
    }
    for scope in workflow.scopes {
      // The first part of the prefix is the step of the main file that includes this file, directly or through other
      // files.
      let id = scope.prefix.prefix { $0 != "/" }
      guard let step = workflow.steps.firstIndex(where: { $0.id.text == id }),
        let span = result.span(of: StepIndex(step), key: "uses")
      else { continue }
      for name in scope.environmentFiles {
        guard
          let problem = problem(
            with: EnvironmentFileName(scope.path(of: name.path), isRequired: name.isRequired), in: folder)
        else { continue }
        diagnostics.append(diagnostic(problem, at: span))
      }
    }
    return diagnostics
  }

  private static func diagnostic(_ message: String, at span: TextSpan) -> Diagnostic {
    Diagnostic(
      .environmentFile, message, at: span, help: "create or correct the file, or remove it from 'env-file'")
  }

  private static func problem(with name: EnvironmentFileName, in folder: String) -> String? {
    let path = EnvironmentFile.path(of: name.path, in: folder)
    if !name.isRequired, !FilePath.exists(path) { return nil }
    do {
      _ = try EnvironmentFile.parse(try FileAccess.text(path))
      return nil
    } catch let problem as EnvironmentFile.LineProblem {
      return "line \(problem.line) of the env-file '\(name.path)': \(problem.message)"
    } catch {
      return "cannot read the env-file \(error)"
    }
  }
}
