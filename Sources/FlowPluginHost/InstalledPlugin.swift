import FlowDiagnostics
import FlowSyntax

/// A plugin in a folder: what its `plugin.yaml` says, and where that is.
public struct InstalledPlugin: Sendable {
  /// What it says of itself.
  public var manifest: PluginManifest
  /// The absolute path of its folder, in which its program runs.
  public var folder: String
  /// The manifest's text with the places of the program's words; nil when it was not read from a file.
  var text: (source: SourceText, programSpans: [TextSpan])?

  /// A plugin whose manifest is in `folder`.
  public init(_ manifest: PluginManifest, folder: String) {
    self.manifest = manifest
    self.folder = folder
  }

  /// The part before the dot in the names of its actions.
  public var name: String { manifest.name }

  /// The path of its manifest.
  public var origin: String { folder + "/" + Self.manifestName }

  /// What the manifest is called in its folder.
  public static let manifestName = "plugin.yaml"
}
