/// A reference to a context in an expression, such as `steps.build.outputs.path`.
package struct ContextReference: Sendable, Hashable {
  /// The name of the context, in the dialect's spelling.
  package var name: String
  /// The literal keys after the name, up to the first computed one, such as `["build", "outputs", "path"]`. Upper and
  /// lower case are not distinguished.
  package var path: [String]
  /// True if ``path`` has all keys. False if an index, a `*` or a computed key follows.
  package var isWhole: Bool
  /// True if the reference is an operand on the left of `||`, or of an `&&` there, so that null is replaced by another
  /// value.
  package var hasFallback: Bool
  /// The offset of the reference in the expression, in UTF-8 bytes.
  package var offset: Int
  /// The length of the name and its literal keys, in UTF-8 bytes.
  package var length: Int
}
