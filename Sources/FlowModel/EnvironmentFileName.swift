/// A file of variables listed under `env-file` in a workflow.
public struct EnvironmentFileName: Sendable, Hashable {
  /// The path, which may contain `${{ }}` expressions over `inputs`.
  public var path: String
  /// True if a run cannot start without the file.
  public var isRequired: Bool

  /// Creates a reference to a file.
  public init(_ path: String, isRequired: Bool = true) {
    self.path = path
    self.isRequired = isRequired
  }
}
