/// A folder whose `plugin.yaml` cannot be used, and the reason.
public struct UnusablePlugin: Error, Sendable, CustomStringConvertible {
  /// The folder's path.
  public var folder: String
  /// The reason as diagnostics with excerpts or as a sentence, ending with a line break.
  public var description: String

  /// The name of the folder, which is usually the plugin's name.
  public var name: String { folder.split(separator: "/").last.map(String.init) ?? folder }
}
