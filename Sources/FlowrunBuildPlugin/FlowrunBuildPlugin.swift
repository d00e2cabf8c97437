import Foundation
import PackagePlugin

/// Checks and compiles the workflows of a target during its build. Generates Swift code: `Workflows`, `Events`, a
/// protocol for each `*.plugin.yaml`, and `Schemas` for each `*.sync.yaml`.
@main struct FlowrunBuildPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    guard let target = target as? SourceModuleTarget else { return [] }
    let all = target.sourceFiles.map(\.url).filter { ["yaml", "yml"].contains($0.pathExtension) }
      .sorted { $0.path < $1.path }
    let schemas = all.filter { $0.lastPathComponent.hasSuffix(".sync.yaml") }
    let yaml = all.filter { !schemas.contains($0) }
    let own = yaml.filter(Self.isInterface)
    let folder = target.directoryURL.appending(path: "Workflows").path + "/"
    let inFolder = yaml.filter { $0.path.hasPrefix(folder) }
    let workflows = (inFolder.isEmpty ? yaml : inFolder).filter { !Self.isInterface($0) }
    guard !workflows.isEmpty || !own.isEmpty || !schemas.isEmpty else { return [] }
    let interfaces = target.recursiveTargetDependencies.compactMap { $0 as? SourceModuleTarget }
      .flatMap { Self.interfaces(in: $0.directoryURL) }
    let dependencies = Set(target.recursiveTargetDependencies.map(\.name))
    let output = context.pluginWorkDirectoryURL.appending(path: "Workflows.swift")
    let products = ["SyncKit", "SyncPlugin"].filter(dependencies.contains)
    var arguments = [output.path, target.kind == .generic ? "library" : "program"]
    for (option, files) in [
      ("--own-interface", own), ("--interface", interfaces), ("--workflow", workflows), ("--plugin-file", schemas),
    ] {
      for file in files { arguments += [option, file.path] }
    }
    for product in products { arguments += ["--product", product] }
    return [
      .buildCommand(
        displayName: "Compiling workflows of \(target.name)", executable: try context.tool(named: "flowrun-build").url,
        arguments: arguments, inputFiles: all + interfaces, outputFiles: [output])
    ]
  }

  private static func isInterface(_ file: URL) -> Bool { file.lastPathComponent.hasSuffix(".plugin.yaml") }

  /// Returns the plugin interfaces of a dependency, which are next to its sources or in its folder `Workflows`.
  private static func interfaces(in folder: URL) -> [URL] {
    [folder, folder.appending(path: "Workflows")].flatMap { folder in
      let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
      return files.filter(isInterface).sorted { $0.path < $1.path }
    }
  }
}
