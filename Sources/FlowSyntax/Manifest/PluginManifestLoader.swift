import FlowDiagnostics
import FlowModel

/// Reads a plugin's `plugin.yaml`: a manifest, or everything that is wrong with it.
///
/// Nothing is started and no other file is read.
public struct PluginManifestLoader: Sendable {
  /// The result of reading a manifest.
  public struct Result: Sendable {
    /// The manifest; nil exactly when there is an error.
    public let manifest: PluginManifest?
    /// Everything that was found, in the order of the file.
    public let diagnostics: [Diagnostic]
    /// The text that the diagnostics are about.
    public let source: SourceText
    /// Where the plugin's name is, for errors that are found later, such as two plugins with one name.
    public let nameSpan: TextSpan
    /// Where each action is declared, by its full name.
    public let actionSpans: [String: TextSpan]
    /// Where the words of the command stand, or the source; as many as the program has.
    public let programSpans: [TextSpan]

    /// Every diagnostic as text for people, with an excerpt each.
    public func rendered(usesColor: Bool = false) -> String {
      DiagnosticRenderer(source, usesColor: usesColor).render(diagnostics)
    }
  }

  /// A loader; it needs to know nothing.
  public init() {}

  /// Reads the manifest in `bytes`; `file` is what messages call it and the `origin` of its declarations.
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
