import FlowModel
import FlowPluginHost
import FlowSyntax
import FlowSystem
import Synchronization

extension WatchedFiles {
  /// What a run reads, as far as the workflow and the command line say. `before` is what it was until now: a file with a
  /// mistake does not say all, and what it said before is mended as well as the file itself.
  init(of request: RunRequest, before: WatchedFiles?) {
    self.init(workflows: [request.file], pluginFolders: request.pluginFolders)
    for argument in request.inputs + [request.launch].compactMap({ $0 }) {
      guard let mark = argument.firstRange(of: "=@") else { continue }
      others.append(String(argument[mark.upperBound...]))
    }
    let named = Mutex<[String]>([])
    var workflow: Workflow?
    if let installation = try? Installation(around: request.file, given: request.pluginFolders) {
      others += installation.brought.flatMap(\.decidingFiles)
      if let bytes = FileAccess.included(request.file) {
        let loader = WorkflowLoader(catalog: installation.registry) { path in
          named.withLock { $0.append(path) }
          return FileAccess.included(path)
        }
        workflow = loader.load(bytes: bytes, file: request.file).graph?.workflow
      }
    }
    others += named.withLock { $0 }
    if let workflow {
      add(workflow, in: FilePath.folder(of: FilePath.absolute(request.file)))
    } else if let before {
      others = Array(Set(others).union(before.others))
      patterns = before.patterns
      products = before.products
    }
    for path in [request.report, request.trace].compactMap({ $0 }) {
      products.append(Pattern(text: FilePath.absolute(path), folder: ""))
    }
  }

  private mutating func add(_ workflow: Workflow, in folder: String) {
    let variables = [workflow.environmentFile] + workflow.scopes.map { scope in scope.environmentFile.map(scope.path) }
    others += variables.compactMap { $0 }.map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" }
    for (index, step) in workflow.steps.enumerated() where step.hasOptions {
      let scope = workflow.scope(of: StepIndex(index)).map { workflow.scopes[$0].folder } ?? ""
      let own = scope.isEmpty ? folder : "\(folder)/\(scope)"
      patterns += step.options.inputsFrom.map { Pattern(text: $0, folder: own) }
      products += step.options.produces.map { Pattern(text: $0, folder: own) }
    }
  }
}
