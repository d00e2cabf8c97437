import FlowDiagnostics
import FlowModel

/// Reads the manifest of an external plugin, and reports all errors in it.
///
/// It does not start programs or read other files.
public struct PluginManifestLoader: Sendable {
  /// The result of reading a manifest.
  public struct Result: Sendable {
    /// The manifest, or nil if there is an error.
    public let manifest: PluginManifest?
    /// All diagnostics, in file order.
    public let diagnostics: [Diagnostic]
    /// The text of the file.
    public let source: SourceText
    /// The location of the plugin's name, for errors that are found later, such as two plugins with the same name.
    public let nameSpan: TextSpan
    /// The locations of the actions, by full name.
    public let actionSpans: [String: TextSpan]
    /// The locations of the words in `command`, or that of `source`.
    public let programSpans: [TextSpan]

    /// Formats all diagnostics with excerpts of the file.
    public func rendered(usesColor: Bool = false) -> String {
      DiagnosticRenderer(source, usesColor: usesColor).render(diagnostics)
    }
  }

  /// Creates a loader.
  public init() {}

  /// Reads a manifest. `file` is its name in messages and the `origin` of its declarations.
  public func load(bytes: [UInt8], file: String) -> Result {
    let source = SourceText(bytes, file: file)
    switch YAMLParser.parse(source) {
    case .failure(let failure):
      return Result(
        manifest: nil, diagnostics: [failure.diagnostic], source: source, nameSpan: TextSpan(at: 0), actionSpans: [:],
        programSpans: [])
    case .success(let tree):
      var reader = ManifestReader(tree: tree, file: file)
      let manifest = reader.read()
      let diagnostics = reader.diagnostics.uniqueByLocation()
      return Result(
        manifest: diagnostics.containsError ? nil : manifest, diagnostics: diagnostics, source: source,
        nameSpan: reader.nameSpan, actionSpans: reader.actionSpans, programSpans: reader.programSpans)
    }
  }
}
