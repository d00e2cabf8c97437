/// A path or pattern in the `inputs-from` or `produces` of a step.
package struct FileRule: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The path or pattern, which may contain `${{ }}`.
  package var pattern: String
  /// True if a file must match, false if none needs to. If nil, a path must exist but a pattern may match no file.
  package var isRequired: Bool?
  /// True if the files are removed after all steps that read them have succeeded.
  package var isTemporary: Bool

  /// Creates a rule.
  package init(_ pattern: String, isRequired: Bool? = nil, isTemporary: Bool = false) {
    self.pattern = pattern
    self.isRequired = isRequired
    self.isTemporary = isTemporary
  }

  /// Creates a rule with default options.
  package init(stringLiteral pattern: String) { self.init(pattern) }
}
