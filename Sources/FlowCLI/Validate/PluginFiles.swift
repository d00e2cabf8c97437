import FlowPluginKit
import FlowSyntax

/// The YAML files of plugins, which are next to workflows.
enum PluginFiles {
  private static let kinds = BuiltInPlugins.all.flatMap(\.fileKinds)

  /// Returns the kind of a file by its path, or nil for a workflow.
  static func kind(of path: String) -> PluginFileKind? { kinds.first { path.hasSuffix($0.suffix) } }

  /// Checks a file with the plugin that reads it. Returns nil for a workflow.
  static func check(_ bytes: [UInt8], _ file: String) -> PluginFileKind.Check? { kind(of: file)?.check(bytes, file) }
}

extension PluginFileKind.Check {
  /// The file with all of its diagnostics.
  var report: DiagnosticReport.File { DiagnosticReport.File(source: source, diagnostics: diagnostics) }
}
