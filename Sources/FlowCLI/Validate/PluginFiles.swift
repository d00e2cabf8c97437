import FlowPluginKit
import FlowSyntax

/// The YAML files that belong to plugins and not to flowrun itself. They can be next to workflows.
package enum PluginFiles {
  private static let kinds = BuiltInPlugins.all.flatMap(\.details.fileKinds)

  /// Returns the kind of a file, which its path shows. Returns nil for a workflow.
  package static func kind(of path: String) -> PluginFileKind? { kinds.first { path.hasSuffix($0.suffix) } }

  /// Lets the plugin that reads a file check it. Returns nil for a workflow.
  package static func check(_ bytes: [UInt8], _ file: String) -> PluginFileKind.Check? {
    kind(of: file)?.check(bytes, file)
  }
}

extension PluginFileKind.Check {
  /// The file with all its diagnostics.
  package var report: DiagnosticReport.File { DiagnosticReport.File(source: source, diagnostics: diagnostics) }
}
