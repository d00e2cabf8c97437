/// A path, or a pattern of files, that a step reads or produces.
public struct FileRule: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The path or pattern, which may contain `${{ }}`.
  public var pattern: String
  /// True if files must match. If nil, a path must exist and a pattern need not match.
  public var isRequired: Bool?
  /// True if the files are removed once the steps that read them have succeeded.
  public var isTemporary: Bool

  /// Creates a rule for a path or a pattern.
  public init(_ pattern: String, isRequired: Bool? = nil, isTemporary: Bool = false) {
    self.pattern = pattern
    self.isRequired = isRequired
    self.isTemporary = isTemporary
  }

  /// Creates a rule with default options.
  public init(stringLiteral pattern: String) { self.init(pattern) }
}
