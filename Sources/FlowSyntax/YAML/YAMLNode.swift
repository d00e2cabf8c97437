/// The index of a node in its ``NodeTree``.
typealias NodeID = Int

/// A node of a YAML document. It takes 16 bytes.
///
/// Nodes are in file order: children come after their collection, and the value of a mapping's key comes after the key.
struct YAMLNode: Sendable {
  enum Kind: UInt8, Sendable { case scalar, sequence, mapping, alias }

  /// The form of a scalar, which determines where its text is.
  enum Style: UInt8, Sendable {
    /// Plain, on one line. The span is the text.
    case plain
    /// Quoted, on one line and without escapes. The text is between the quotes.
    case quoted
    /// Plain, on several lines. The text was decoded.
    case decodedPlain
    /// Quoted with escapes or on several lines, or a block scalar. The text was decoded.
    case decoded
  }

  /// The explicit tag, if it belongs to the core schema.
  enum Tag: UInt8, Sendable { case none, string, integer, float, boolean, null, map, sequence, nonSpecific }

  var kind: Kind
  var style: Style = .plain
  var tag: Tag = .none
  /// True for a mapping with a key `<<`.
  var hasMerge = false
  var start: UInt32
  var end: UInt32
  /// For a collection, the node after its last descendant. For a decoded scalar, the index of its text. For an alias,
  /// its target.
  var link: UInt32 = 0
}
