import FlowPluginKit
import FlowSyntax

/// The YAML files of plugins, which are not workflows but are next to them.
enum PluginFiles {
  private static let kinds = BuiltInPlugins.all.flatMap(\.fileKinds)

  /// What kind of file a path names; nil for a workflow.
  static func kind(of path: String) -> PluginFileKind? { kinds.first { path.hasSuffix($0.suffix) } }

  /// What a plugin says of the file that it reads; nil for a workflow.
  static func check(_ bytes: [UInt8], _ file: String) -> PluginFileKind.Check? { kind(of: file)?.check(bytes, file) }
}

extension PluginFileKind.Check {
  /// The file with everything that was found in it.
  var report: DiagnosticReport.File { DiagnosticReport.File(source: source, diagnostics: diagnostics) }
}
