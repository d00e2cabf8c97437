import FlowPluginKit
import FlowSyntax

/// YAML files that belong to plugins rather than to flowrun itself. They can be next to workflows.
package enum PluginFiles {
  private static let kinds = BuiltInPlugins.all.flatMap(\.details.fileKinds)

  /// Returns the kind of a plugin's file according to its path, or nil for a workflow.
  package static func kind(of path: String) -> PluginFileKind? { kinds.first { path.hasSuffix($0.suffix) } }

  /// Checks a file by means of the plugin to which it belongs. Returns nil for a workflow.
  package static func check(_ bytes: [UInt8], _ file: String) -> PluginFileKind.Check? {
    kind(of: file)?.check(bytes, file)
  }
}

extension PluginFileKind.Check {
  /// The file with all of its diagnostics.
  package var report: DiagnosticReport.File { DiagnosticReport.File(source: source, diagnostics: diagnostics) }
}
