import FlowDiagnostics
import FlowModel

/// Reads the manifest of an external plugin, and reports all errors in it.
///
/// It does not start programs or read other files.
package struct PluginManifestLoader: Sendable {
  /// The result of reading a manifest.
  package struct Result: Sendable {
    /// The manifest, or nil if there is an error.
    package let manifest: PluginManifest?
    /// All diagnostics, in file order.
    package let diagnostics: [Diagnostic]
    /// The text of the file.
    package let source: SourceText
    /// The location of the plugin's name, for errors that are found later, such as two plugins with the same name.
    package let nameSpan: TextSpan
    /// The locations of the actions, by full name.
    package let actionSpans: [String: TextSpan]
    /// The locations of the words in `command`, or that of `source`.
    package let programSpans: [TextSpan]

    /// Formats all diagnostics with excerpts of the file.
    package func rendered(usesColor: Bool = false) -> String {
      DiagnosticRenderer(source, usesColor: usesColor).render(diagnostics)
    }
  }

  /// Creates a loader.
  package init() {}

  /// Reads a manifest. `file` is its name in messages and the `origin` of its declarations.
  package func load(bytes: [UInt8], file: String) -> Result {
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
