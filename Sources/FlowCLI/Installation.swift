import FlowCommandKit
import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSyntax
import FlowSystem
import Synchronization

/// The actions of one call of flowrun: those compiled in and those of external plugins.
struct Installation {
  /// All actions that can be used.
  let registry: ActionRegistry
  /// Runs the programs of external plugins.
  let host: PluginHost
  /// Those that were found and cannot be used.
  let unusable: [UnusablePlugin]
  /// The external plugins that can be used.
  let external: [InstalledPlugin]
  /// The folders of those that only a look around included files finds, which a worker must be told.
  let foldersOfIncluded: [String]

  /// Finds the plugins in the `folders` that the command line names and those around the workflow `file` and the files that it
  /// includes, or around the working directory when there is none. Reads manifests and starts nothing; throws an
  /// ``InvalidWorkflow`` when two have one name.
  init(around file: String? = nil, given folders: [String]) throws(InvalidWorkflow) {
    let start = file.map { FilePath.folder(of: FilePath.absolute($0)) } ?? FilePath.absolute(".")
    let included = Set(file.map { IncludeScan.files(includedBy: $0).map(FilePath.folder) } ?? []).subtracting([start])
    let found = PluginFinder(given: folders, start: start, included: included.sorted()).find()
    let own = included.isEmpty ? found : PluginFinder(given: folders, start: start).find()
    foldersOfIncluded = found.plugins.map(\.folder).filter { folder in !own.plugins.contains { $0.folder == folder } }
    var registry = ActionRegistry(BuiltInPlugins.all)
    host = PluginHost()
    for plugin in found.plugins {
      do throws(ActionRegistry.Conflict) {
        try registry.register(name: plugin.name, origin: plugin.origin, actions: host.actions(of: plugin))
      } catch {
        throw InvalidWorkflow(description: "flowrun: \(error)\n")
      }
    }
    self.registry = registry
    unusable = found.unusable
    external = found.plugins
  }

  /// What keeps programs from being started of plugins that a workflow uses; nothing is started for it.
  func programProblems(of workflow: Workflow) -> [DiagnosticReport.File] {
    if external.isEmpty { return [] }
    let used = Set(workflow.steps.map { $0.uses.prefix { $0 != "." } })
    return external.filter { used.contains($0.name[...]) }.compactMap { $0.programProblem() }
  }

  /// What distinguishes the programs of the external plugins that a workflow uses, read once when it is first asked for; nil:
  /// it uses none.
  func digests(of workflow: Workflow) -> (@Sendable () -> [String: String])? {
    if external.isEmpty { return nil }
    let used = Set(workflow.steps.map { $0.uses.prefix { $0 != "." } })
    let plugins = external.filter { used.contains($0.name[...]) }
    if plugins.isEmpty { return nil }
    let known = Mutex<[String: String]?>(nil)
    return {
      known.withLock { known in
        let digests = known ?? Dictionary(uniqueKeysWithValues: plugins.map { ($0.name, $0.digest) })
        known = digests
        return digests
      }
    }
  }

  /// What distinguishes the program of an action from others: its plugin's, or this flowrun.
  var digest: @Sendable (ActionDeclaration) -> String {
    let external = external
    return { declaration in
      let plugin = external.first { $0.name == declaration.pluginName }
      guard let plugin else { return "flowrun \(Release.version)" }
      return "\(plugin.name) \(plugin.manifest.version) (\(plugin.digest.prefix(12)))"
    }
  }

  /// The same of every plugin, on standard error; whether there is none.
  func explainProgramProblems() -> Bool {
    let report = DiagnosticReport(external.compactMap { $0.programProblem() })
    StandardOutput.writeError(report.text(usesColor: StandardOutput.errorAllowsColor))
    return report.files.isEmpty
  }

  /// Why plugins that were found cannot be used, on standard error: said when a workflow cannot be loaded, for which
  /// that may be the reason.
  func explainUnusable() {
    for plugin in unusable {
      StandardOutput.writeError("\(plugin.description)flowrun: the plugin in '\(plugin.folder)' is not used\n")
    }
  }

  /// Ends the programs of external plugins, with everything they started.
  func close() async { await host.close() }
}
