import FlowCompiled
import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Compiles workflows, and loads compiled workflows in place of YAML.
extension LoadResult {
  /// The workflow in compiled form, or nil if it has an error. Paths are relative to the workflow's folder, so that the
  /// bytes do not depend on the location of the folder.
  package var compiled: CompiledWorkflow? {
    if let compiledFile { return compiledFile }
    guard let workflow = graph?.workflow else { return nil }
    let home = IncludeLibrary.folder(of: IncludeLibrary.resolve(source.file, in: ""))
    guard let graph = try? WorkflowGraph(workflow.naming(filesFrom: home)) else { return nil }
    var lines: [String: LineTable] = [:]
    let locations = workflow.steps.indices.map { index in
      guard let (source, span) = definition(of: StepIndex(index)) else {
        return CompiledWorkflow.Location(
          file: IncludeLibrary.fileName(self.source.file), position: TextLocation(line: 1, column: 1))
      }
      let table = lines[source.file] ?? LineTable(source)
      lines[source.file] = table
      return CompiledWorkflow.Location(
        file: IncludeLibrary.name(of: IncludeLibrary.resolve(source.file, in: ""), from: home),
        position: table.location(of: span.start))
    }
    return CompiledWorkflow(graph, outputs: outputs, locations: locations)
  }

  /// Returns the location of a step in the YAML file from which the workflow was compiled. Returns nil if the workflow
  /// was loaded from YAML.
  package func compiledLocation(of step: StepIndex) -> CompiledWorkflow.Location? {
    guard let locations = compiledFile?.locations, locations.indices.contains(Int(step)) else { return nil }
    return locations[Int(step)]
  }

  /// Loads a compiled workflow. Its actions must be installed. Runs record the bytes as their definition. Messages do
  /// not quote them, because they are not text.
  static func compiled(_ bytes: [UInt8], file: String, _ catalog: any ActionCatalog) -> LoadResult {
    let source = SourceText([], file: file)
    do throws(CompiledWorkflowError) {
      let compiled = try CompiledWorkflow(bytes)
      let missing = missingActions(of: compiled, catalog)
      var result = LoadResult(
        graph: missing.isEmpty ? compiled.graph.keeping(ExpressionTable()) : nil, diagnostics: missing, source: source)
      result.compiledFile = compiled
      result.outputs = compiled.outputs
      result.definition = bytes
      return result
    } catch {
      return LoadResult(
        graph: nil, diagnostics: [Diagnostic(.compiledFile, error.description, at: TextSpan(at: 0))], source: source)
    }
  }

  /// Returns a diagnostic for each action that is not installed, at the first step that uses it, for each input that
  /// was moved to another action, and for each called action that was renamed.
  private static func missingActions(of compiled: CompiledWorkflow, _ catalog: any ActionCatalog) -> [Diagnostic] {
    let workflow = compiled.graph.workflow
    var seen: Set<String> = []
    var diagnostics: [Diagnostic] = []
    for (index, step) in workflow.steps.enumerated() {
      if diagnostics.count >= Limits.diagnostics { break }
      if workflow.includes[step.uses] != nil { continue }
      let location = compiled.locations[index]
      let place = "step '\(step.id)' (\(location.file):\(location.position.line))"
      func add(_ code: DiagnosticCode, _ message: String, _ help: String) {
        diagnostics.append(Diagnostic(code, "\(place) \(message)", at: TextSpan(at: 0), help: help))
      }
      let again = "change the workflow and compile it again; a run of the old one cannot be resumed"
      guard let declaration = catalog.declaration(named: step.uses) else {
        guard seen.insert(step.uses).inserted else { continue }
        if let new = catalog.newName(of: step.uses) {
          add(.unknownAction, "uses '\(step.uses)', which is now '\(new)'", again)
        } else {
          add(
            .unknownAction, "uses '\(step.uses)', which is not installed",
            "install the plugin that it had when it was compiled, next to the file or with --plugin-dir")
        }
        continue
      }
      for (input, _) in step.with where declaration.input(named: input) == nil {
        guard let new = catalog.newAction(of: input, in: step.uses) else { continue }
        add(.unknownInput, "gives '\(input)' to '\(step.uses)', which is now an input of '\(new)'", again)
      }
      if let call = declaration.calls, let called = step.with[call.action]?.stringValue,
        let new = catalog.newName(of: called)
      {
        add(.unknownAction, "calls '\(called)', which is now '\(new)'", again)
      }
    }
    return diagnostics
  }
}

extension Workflow {
  /// Returns the workflow with the paths of included files relative to `folder`.
  fileprivate func naming(filesFrom folder: String) -> Workflow {
    var copy = self
    for index in copy.scopes.indices {
      copy.scopes[index].file = IncludeLibrary.name(of: scopes[index].file, from: folder)
    }
    for (name, declaration) in includes {
      copy.includes[name]?.origin = declaration.origin.map { IncludeLibrary.name(of: $0, from: folder) }
    }
    for (name, items) in itemWorkflows {
      copy.itemWorkflows[name]?.workflow = items.workflow.naming(filesFrom: folder)
    }
    return copy
  }
}
