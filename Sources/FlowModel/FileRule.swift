/// A path or a pattern of files that a step reads or makes.
public struct FileRule: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The text of the pattern, which may hold `${{ }}`.
  public var pattern: String
  /// Whether files must match; nil: a path must exist, and a pattern need not match any file.
  public var isRequired: Bool?
  /// Whether the files are removed once the steps that read them have succeeded.
  public var isTemporary: Bool

  /// A path or a pattern.
  public init(_ pattern: String, isRequired: Bool? = nil, isTemporary: Bool = false) {
    self.pattern = pattern
    self.isRequired = isRequired
    self.isTemporary = isTemporary
  }

  /// A path or a pattern that says nothing else.
  public init(stringLiteral pattern: String) { self.init(pattern) }
}
