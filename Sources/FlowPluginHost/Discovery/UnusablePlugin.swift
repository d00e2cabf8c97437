/// A folder whose `plugin.yaml` cannot be used, and the reason.
package struct UnusablePlugin: Error, Sendable, CustomStringConvertible {
  package var folder: String
  /// The reason as diagnostics with excerpts or as a sentence. It ends with a line break.
  package var description: String

  /// The name of the folder, which usually equals the name of the plugin.
  package var name: String { folder.split(separator: "/").last.map(String.init) ?? folder }
}
