import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowSyntax
import FlowSystem

/// Reports paths in steps to files that do not exist, and patterns that are also names of existing files. This check
/// accesses the file system.
struct NamedFilesCheck {
  private let result: LoadResult
  private let folder: String
  private let workflow: Workflow
  private let flow: FileFlow
  private(set) var diagnostics: [Diagnostic] = []

  /// Returns the warnings for a workflow that was loaded from `file`. Paths with expressions are skipped, because they
  /// become known only during a run.
  static func diagnostics(of result: LoadResult, file: String) -> [Diagnostic] {
    guard let workflow = result.graph?.workflow else { return [] }
    var check = NamedFilesCheck(result, workflow, in: FilePath.folder(of: FilePath.absolute(file)))
    check.run()
    return check.diagnostics
  }

  private init(_ result: LoadResult, _ workflow: Workflow, in folder: String) {
    (self.result, self.workflow, self.folder) = (result, workflow, folder)
    flow = FileFlow(workflow)
  }

  private mutating func run() {
    for (index, step) in workflow.steps.enumerated() where step.hasOptions && !step.options.isDisabled {
      let number = StepIndex(index)
      if !step.options.inputsFrom.isEmpty, let value = result.value(of: number, key: "inputs-from") {
        check(step.options.inputsFrom, value, of: index, areRead: true)
      }
      if !step.options.produces.isEmpty, let value = result.value(of: number, key: "produces") {
        check(step.options.produces, value, of: index, areRead: false)
      }
      if case .files(let patterns)? = step.options.fanOut?.source,
        let value = result.value(of: number, key: "foreach")?.member("files")?.value
      {
        check(patterns.map { FileRule($0) }, value, of: index, areRead: false)
      }
    }
  }

  private mutating func check(_ rules: [FileRule], _ value: PlacedValue, of step: Int, areRead: Bool) {
    let places = if case .list(let values) = value.content { values } else { [value] }
    guard places.count == rules.count else { return }
    for (rule, place) in zip(rules, places) where !Template.containsExpression(rule.pattern) {
      let span = place.member("path")?.value.span ?? place.span
      let text = rule.pattern
      let pattern = FilePattern(text)
      if pattern.isOpen || pattern.isExclusion {
        if text.utf8.contains(where: { "[{".utf8.contains($0) }), exists(PatternText.withoutMark(text)) {
          diagnostics.append(
            Diagnostic(
              .doubtfulPattern, "'\(text)' is a pattern, which does not match the file of this name", at: span,
              help: "for the file itself write '\(quoted(text))'"))
        }
      } else if areRead, rule.isRequired != false, let path = pattern.normalized.first, isMissing(path, text, step) {
        diagnostics.append(
          Diagnostic(
            .missingFile,
            "step '\(workflow.steps[step].id)' reads '\(path)', which does not exist and no step produces", at: span,
            help: "correct the path, add 'produces' to the step that makes the file, or write "
              + "'{ path: \(path), required: false }'"))
      }
    }
  }

  private func isMissing(_ path: String, _ text: String, _ step: Int) -> Bool {
    !exists(path)
      && flow.nodes.contains { $0.makers.isEmpty && $0.text == text && $0.readers.contains(step) }
  }

  private func exists(_ path: String) -> Bool {
    FilePath.exists(FilePath.isAbsolute(path) ? path : "\(folder)/\(path)")
  }

  /// Returns a pattern that matches only the file with exactly this name.
  private func quoted(_ text: String) -> String {
    var quoted = ""
    for character in text {
      if character.utf8.allSatisfy({ PatternText.isSpecial($0) }) { quoted += "\\" }
      quoted.append(character)
    }
    return quoted
  }
}
