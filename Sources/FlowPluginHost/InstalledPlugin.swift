import FlowDiagnostics
import FlowSyntax

/// A plugin in a folder, with the contents and location of its `plugin.yaml`.
public struct InstalledPlugin: Sendable {
  /// The contents of the manifest.
  public var manifest: PluginManifest
  /// The absolute path of its folder; the program's working directory.
  public var folder: String
  /// The manifest's text with the spans of the program's words, or nil if it was not read from a file.
  var text: (source: SourceText, programSpans: [TextSpan])?

  /// Creates a plugin with a manifest in `folder`.
  public init(_ manifest: PluginManifest, folder: String) {
    self.manifest = manifest
    self.folder = folder
  }

  /// The part before the dot in the names of its actions.
  public var name: String { manifest.name }

  /// The path of its manifest.
  public var origin: String { folder + "/" + Self.manifestName }

  /// The file name of the manifest.
  public static let manifestName = "plugin.yaml"
}
