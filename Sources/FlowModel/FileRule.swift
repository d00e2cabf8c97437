/// A path or pattern in `inputs-from` or `produces`.
package struct FileRule: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The path or pattern. It may contain `${{ }}`.
  package var pattern: String
  /// True if at least one file must match, false if none needs to. If nil, a path without wildcards must exist, but a
  /// pattern may match no file.
  package var isRequired: Bool?
  /// True if the files are removed as soon as all steps that read them have succeeded.
  package var isTemporary: Bool

  package init(_ pattern: String, isRequired: Bool? = nil, isTemporary: Bool = false) {
    self.pattern = pattern
    self.isRequired = isRequired
    self.isTemporary = isTemporary
  }

  /// Creates a rule with default options from a path or pattern.
  package init(stringLiteral pattern: String) { self.init(pattern) }
}
