import FlowDiagnostics
import FlowModel

/// Reads the manifest of an external plugin, and reports all errors in it.
///
/// It does not start programs or read other files.
package struct PluginManifestLoader: Sendable {
  /// The outcome of reading a manifest.
  package struct Result: Sendable {
    /// The manifest, or nil if there is an error.
    package let manifest: PluginManifest?
    /// All diagnostics, sorted by location.
    package let diagnostics: [Diagnostic]
    /// The file's name and text.
    package let source: SourceText
    /// The location of the plugin's name in the file. Errors that are found later, such as two plugins with the same
    /// name, refer to it.
    package let nameSpan: TextSpan
    /// The location of each action in the file, by the action's full name.
    package let actionSpans: [String: TextSpan]
    /// The locations of the words in `command`, or the location of `source`.
    package let programSpans: [TextSpan]

    /// Formats all diagnostics with excerpts of the file.
    package func rendered(usesColor: Bool = false) -> String {
      DiagnosticRenderer(source, usesColor: usesColor).render(diagnostics)
    }
  }

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
