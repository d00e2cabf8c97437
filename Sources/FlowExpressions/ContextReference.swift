/// A location in an expression that reads a context: `steps.build.outputs.path`.
public struct ContextReference: Sendable, Hashable {
  /// The named value as the dialect spells it.
  public var name: String
  /// The keys behind it as written, up to the first that only evaluation can tell: `["build", "outputs", "path"]`.
  /// Keys compare without case.
  public var path: [String]
  /// Whether ``path`` is the whole way; false when an index, a `*` or a computed key follows.
  public var isWhole: Bool
  /// Whether a null here falls through to the right side of a `||`, so that a missing output does no harm.
  public var hasFallback: Bool
  /// Where name and path begin, in UTF-8 bytes of the expression's source.
  public var offset: Int
  /// How long name and path are, in UTF-8 bytes.
  public var length: Int
}
