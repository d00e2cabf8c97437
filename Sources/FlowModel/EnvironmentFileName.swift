/// A file of variables that a workflow names under `env-file`.
public struct EnvironmentFileName: Sendable, Hashable {
  /// The path, which may hold `${{ }}` over `inputs`.
  public var path: String
  /// Whether a run cannot start without the file.
  public var isRequired: Bool

  /// Names a file.
  public init(_ path: String, isRequired: Bool = true) {
    self.path = path
    self.isRequired = isRequired
  }
}
