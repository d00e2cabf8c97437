/// The index of a node in its ``NodeTree``.
typealias NodeID = Int

/// A node of a YAML document, in 16 bytes.
///
/// Nodes are in file order: children follow their collection, and in a mapping each key is followed by its value.
struct YAMLNode: Sendable {
  enum Kind: UInt8, Sendable { case scalar, sequence, mapping, alias }

  /// The source of a scalar's text.
  enum Style: UInt8, Sendable {
    /// Plain; the span is the text.
    case plain
    /// Quoted; the text is between the quotes.
    case quoted
    /// Plain on several lines; the text was decoded.
    case decodedPlain
    /// Quoted with escapes or on several lines, or a block scalar; the text was decoded.
    case decoded
  }

  /// The explicit tag, if the core schema knows it.
  enum Tag: UInt8, Sendable { case none, string, integer, float, boolean, null, map, sequence, nonSpecific }

  var kind: Kind
  var style: Style = .plain
  var tag: Tag = .none
  /// For a mapping, true if some key is `<<`.
  var hasMerge = false
  var start: UInt32
  var end: UInt32
  /// For a collection, the node after its last descendant. For a decoded scalar, its index among the decoded texts. For
  /// an alias, its target.
  var link: UInt32 = 0
}
