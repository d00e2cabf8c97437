import FlowDiagnostics
import FlowSyntax

/// An external plugin: the contents of its `plugin.yaml` and its folder.
public struct InstalledPlugin: Sendable {
  /// The contents of the manifest.
  public var manifest: PluginManifest
  /// The absolute path of the plugin's folder, in which its program runs.
  public var folder: String
  /// The manifest's text and the positions of the words of its command, or nil if it was not read from a file.
  var text: (source: SourceText, programSpans: [TextSpan])?

  /// Creates a plugin with a manifest in `folder`.
  public init(_ manifest: PluginManifest, folder: String) {
    self.manifest = manifest
    self.folder = folder
  }

  /// The plugin's name, which is the part before the dot in the names of its actions.
  public var name: String { manifest.name }

  /// The path of the manifest.
  public var origin: String { folder + "/" + Self.manifestName }

  /// The file name of the manifest.
  package static let manifestName = "plugin.yaml"
}
