/// A reference to a context in an expression, such as `steps.build.outputs.path`.
package struct ContextReference: Sendable, Hashable {
  /// The name of the context, in the spelling of the dialect.
  package var name: String
  /// The literal keys after the name, up to the first computed one, such as `["build", "outputs", "path"]`. Their case
  /// is ignored.
  package var path: [String]
  /// True if ``path`` has all keys. False if an index, a `*` or a computed key follows.
  package var isWhole: Bool
  /// True if the reference is on the left of `||`, so that the expression has a fallback value if it is null.
  package var hasFallback: Bool
  /// The offset of the reference in the expression, in UTF-8 bytes.
  package var offset: Int
  /// The length of the name and the literal keys, in UTF-8 bytes.
  package var length: Int
}
