/// A folder that holds a `plugin.yaml` but cannot be used, with the reason.
public struct UnusablePlugin: Error, Sendable, CustomStringConvertible {
  /// The folder's path.
  public var folder: String
  /// Why, for people: diagnostics with excerpts, or a sentence; it ends with a line break.
  public var description: String

  /// The name of the folder, which is most often that of the plugin.
  public var name: String { folder.split(separator: "/").last.map(String.init) ?? folder }
}
