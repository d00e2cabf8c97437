import FlowCommandKit
import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSyntax
import FlowSystem
import Synchronization

/// The actions that this process can use: those of compiled-in plugins and those of external plugins.
package struct Installation {
  package let registry: ActionRegistry
  let host: PluginHost
  package let unusable: [UnusablePlugin]
  /// The external plugins that can be used.
  package let external: [InstalledPlugin]
  /// The folders of plugins that were found only near included files. Workers need them as options.
  package let foldersOfIncluded: [String]

  /// Finds the plugins in the `folders` named on the command line, and near the workflow `file` and the files it
  /// includes. Without a file, also searches near the working folder. Only manifests are read; no program is started.
  /// Throws an ``InvalidWorkflow`` if two plugins have the same name.
  package init(around file: String? = nil, given folders: [String]) throws(InvalidWorkflow) {
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

  /// Checks the programs of the external plugins that a workflow uses, without starting them. Returns the problems that
  /// would prevent their start.
  func programProblems(of workflow: Workflow) -> [DiagnosticReport.File] {
    if external.isEmpty { return [] }
    let used = Set(workflow.steps.map { $0.uses.prefix { $0 != "." } })
    return external.filter { used.contains($0.name[...]) }.compactMap { $0.programProblem() }
  }

  /// Returns a function that computes the digests of the external plugins of a workflow on its first call. Returns nil
  /// if the workflow uses no external plugin.
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

  /// Returns a text that identifies the program of an action: its external plugin with a digest, or the version of
  /// flowrun.
  package var digest: @Sendable (ActionDeclaration) -> String {
    let external = external
    return { declaration in
      let plugin = external.first { $0.name == declaration.pluginName }
      guard let plugin else { return "flowrun \(Release.version)" }
      return "\(plugin.name) \(plugin.manifest.version) (\(plugin.digest.prefix(12)))"
    }
  }

  /// Prints the problems of the programs of all external plugins to standard error. Returns true if there are none.
  func explainProgramProblems() -> Bool {
    let report = DiagnosticReport(external.compactMap { $0.programProblem() })
    StandardOutput.writeError(report.text(usesColor: StandardOutput.errorAllowsColor))
    return report.files.isEmpty
  }

  /// Prints the reasons why plugins cannot be used to standard error. An unusable plugin can be the reason why a
  /// workflow does not load.
  func explainUnusable() {
    for plugin in unusable {
      StandardOutput.writeError("\(plugin.description)flowrun: the plugin in '\(plugin.folder)' is not used\n")
    }
  }

  /// Ends the programs of external plugins and the processes they started.
  package func close() async { await host.close() }
}
