/// A file in the `env-file` of a workflow.
public struct EnvironmentFileName: Sendable, Hashable {
  /// The path, which may contain `${{ }}` that reads `inputs`.
  public var path: String
  /// True if a run cannot start without the file.
  public var isRequired: Bool

  /// Creates a reference to a file.
  public init(_ path: String, isRequired: Bool = true) {
    self.path = path
    self.isRequired = isRequired
  }
}
