import FlowDiagnostics
import FlowModel

/// Reads a plugin's `plugin.yaml` and reports all errors in it.
///
/// It does not start programs or read other files.
public struct PluginManifestLoader: Sendable {
  /// The result of reading a manifest.
  public struct Result: Sendable {
    /// The manifest, or nil if and only if there is an error.
    public let manifest: PluginManifest?
    /// All diagnostics, in file order.
    public let diagnostics: [Diagnostic]
    /// The text that the diagnostics are about.
    public let source: SourceText
    /// The location of the plugin's name, for later errors such as two plugins with the same name.
    public let nameSpan: TextSpan
    /// The locations of the actions' declarations, by full name.
    public let actionSpans: [String: TextSpan]
    /// The locations of the words of the command or of the source, in the order of the program's words.
    public let programSpans: [TextSpan]

    /// Formats all diagnostics with excerpts for people.
    public func rendered(usesColor: Bool = false) -> String {
      DiagnosticRenderer(source, usesColor: usesColor).render(diagnostics)
    }
  }

  /// Creates a loader.
  public init() {}

  /// Reads the manifest in `bytes`; `file` is the name in messages and the `origin` of its declarations.
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
