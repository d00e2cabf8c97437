/// A folder with a `plugin.yaml` that cannot be used, and the reason.
public struct UnusablePlugin: Error, Sendable, CustomStringConvertible {
  /// The folder's path.
  public var folder: String
  /// The reason, for people: diagnostics with excerpts, or a sentence. It ends with a line break.
  public var description: String

  /// The name of the folder, usually that of the plugin.
  public var name: String { folder.split(separator: "/").last.map(String.init) ?? folder }
}
