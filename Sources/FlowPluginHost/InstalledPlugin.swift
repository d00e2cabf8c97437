import FlowDiagnostics
import FlowSyntax

/// An external plugin: its manifest and the folder that contains it.
public struct InstalledPlugin: Sendable {
  /// The parsed content of `plugin.yaml`.
  public var manifest: PluginManifest
  /// The absolute path of the plugin's folder, in which its program runs.
  public var folder: String
  /// The manifest's text with the positions of its command's words, for error messages. Nil if it was not read from a
  /// file.
  var text: (source: SourceText, programSpans: [TextSpan])?

  /// Creates a plugin whose program runs in `folder`.
  public init(_ manifest: PluginManifest, folder: String) {
    self.manifest = manifest
    self.folder = folder
  }

  /// The plugin's name, which precedes the dot in the names of its actions.
  public var name: String { manifest.name }

  /// The path of the manifest, which identifies the origin of the plugin's actions.
  public var origin: String { folder + "/" + Self.manifestName }

  /// The name of the file that makes a folder a plugin.
  package static let manifestName = "plugin.yaml"
}
