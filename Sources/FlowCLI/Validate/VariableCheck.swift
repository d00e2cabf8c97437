import FlowCommandKit
import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowSyntax
import FlowSystem

/// Reports variables in expressions (`env.NAME`) that nothing sets: neither the workflow, nor an `env-file`, nor the
/// environment of this process. Also reports variables of this process whose names indicate secrets, because their
/// values would be recorded.
enum VariableCheck {
  /// Endings of variable names that usually indicate a secret.
  private static let secretEndings = ["_TOKEN", "_KEY", "_SECRET"]
  private static let secretPart = "PASSWORD"

  /// Returns the warnings for a workflow that was loaded from `file`.
  ///
  /// - Parameter environment: Returns the value of a variable of this process, or nil if it is not set.
  static func diagnostics(
    of result: LoadResult, file: String,
    environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
  ) -> [Diagnostic] {
    guard let workflow = result.graph?.workflow, !result.variableReads.isEmpty else { return [] }
    let files = FileVariables(workflow, in: FilePath.folder(of: FilePath.absolute(file)))
    return result.variableReads.compactMap { read in
      if files.names.contains(read.name) { return nil }
      guard environment(read.name) == nil else {
        guard isSecret(read.name) else { return nil }
        return Diagnostic(
          .recordedVariable, "the value of '\(read.name)' is recorded with each run, and its name is that of a secret",
          at: read.span, help: "declare it: secrets: { \(secretName(read.name)): { env: \(read.name) } }")
      }
      // The variable may be set by an `env-file` whose name becomes known only during a run.
      if read.hasFallback || files.areUnknown { return nil }
      let known = workflow.environment.keys + files.names.sorted()
      let correction = Correction(read.name, among: known)
      return Diagnostic(
        .unknownVariable, "there is no variable '\(read.name)' here, so 'env.\(read.name)' is null", at: read.span,
        help: (correction.map { $0.question + " " } ?? "")
          + "set it under 'env', in an 'env-file' or before flowrun starts, or write 'env.\(read.name) || a default'",
        correction: correction)
    }
  }

  private static func isSecret(_ name: String) -> Bool {
    let name = name.uppercased()
    return secretEndings.contains { name.hasSuffix($0) } || name.firstRange(of: secretPart) != nil
  }

  private static func secretName(_ name: String) -> String {
    String(name.lowercased().map { $0 == "_" ? "-" : $0 })
  }
}

/// The variables that a workflow's `env-file`s set.
private struct FileVariables {
  var names: Set<String> = []
  /// True if the name of an `env-file` depends on inputs, so that its variables are unknown.
  var areUnknown = false

  init(_ workflow: Workflow, in folder: String) {
    for file in workflow.environmentFiles {
      guard !Template.containsExpression(file.path) else {
        areUnknown = true
        continue
      }
      guard let text = try? FileAccess.text(EnvironmentFile.path(of: file.path, in: folder)),
        let variables = try? EnvironmentFile.parse(text)
      else { continue }
      names.formUnion(variables.keys)
    }
  }
}
