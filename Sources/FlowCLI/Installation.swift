import FlowCommandKit
import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSyntax
import FlowSystem
import Synchronization

/// The actions that this process can use. They come from compiled-in plugins and from external ones.
package struct Installation {
  package let registry: ActionRegistry
  let host: PluginHost
  package let unusable: [UnusablePlugin]
  /// The external plugins that can be used in workflows.
  package let external: [InstalledPlugin]
  /// The plugin folders that were found only near included files. Workers receive them as options.
  package let foldersOfIncluded: [String]

  /// Finds the plugins in the `folders` named on the command line, near the workflow `file`, and near the files that it
  /// includes. Without a file, searches near the working folder.
  ///
  /// Only manifests are read; no program is started. Throws an ``InvalidWorkflow`` if two plugins have the same name.
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

  /// Returns the problems that would prevent the programs of a workflow's external plugins from starting. No program is
  /// started to find them.
  func programProblems(of workflow: Workflow) -> [DiagnosticReport.File] {
    if external.isEmpty { return [] }
    let used = Set(workflow.steps.map { $0.uses.prefix { $0 != "." } })
    return external.filter { used.contains($0.name[...]) }.compactMap { $0.programProblem() }
  }

  /// Returns a function that returns the digests of a workflow's external plugins, by name. It computes them when it is
  /// first called. Returns nil if the workflow uses no external plugin.
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

  /// Identifies the program of an action: by the name, the version and the beginning of the digest of its external
  /// plugin, or by the version of flowrun.
  package var digest: @Sendable (ActionDeclaration) -> String {
    let external = external
    return { declaration in
      let plugin = external.first { $0.name == declaration.pluginName }
      guard let plugin else { return "flowrun \(Release.version)" }
      return "\(plugin.name) \(plugin.manifest.version) (\(plugin.digest.prefix(12)))"
    }
  }

  /// Prints the problems with the programs of all external plugins to standard error. Returns true if there are none.
  func explainProgramProblems() -> Bool {
    let report = DiagnosticReport(external.compactMap { $0.programProblem() })
    StandardOutput.writeError(report.text(usesColor: StandardOutput.errorAllowsColor))
    return report.files.isEmpty
  }

  /// Prints to standard error why some plugins cannot be used. That can be the reason why a workflow cannot be loaded.
  func explainUnusable() {
    for plugin in unusable {
      StandardOutput.writeError("\(plugin.description)flowrun: the plugin in '\(plugin.folder)' is not used\n")
    }
  }

  /// Ends the programs of external plugins and all processes that these have started.
  package func close() async { await host.close() }
}
