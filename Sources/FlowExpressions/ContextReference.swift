/// A reference to a context in an expression, such as `steps.build.outputs.path`.
public struct ContextReference: Sendable, Hashable {
  /// The name of the context as spelled by the dialect.
  public var name: String
  /// The literal keys after the name, up to the first computed one: `["build", "outputs", "path"]`.
  /// Keys are compared without case.
  public var path: [String]
  /// True if ``path`` is complete; false if an index, a `*` or a computed key follows.
  public var isWhole: Bool
  /// True if a null falls through to the right side of a `||`, so that a missing output is harmless.
  public var hasFallback: Bool
  /// The offset of the name, in UTF-8 bytes of the expression's source.
  public var offset: Int
  /// The length of name and path, in UTF-8 bytes.
  public var length: Int
}
