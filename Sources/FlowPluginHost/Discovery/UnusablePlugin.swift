/// A folder whose `plugin.yaml` cannot be used, and the reason.
package struct UnusablePlugin: Error, Sendable, CustomStringConvertible {
  /// The folder's path.
  package var folder: String
  /// The reason as diagnostics with excerpts or as a sentence, ending with a line break.
  package var description: String

  /// The name of the folder, which is usually the plugin's name.
  package var name: String { folder.split(separator: "/").last.map(String.init) ?? folder }
}
