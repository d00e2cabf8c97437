/// The index of a node in its ``NodeTree``.
typealias NodeID = Int

/// A node of a YAML document. It has a size of 16 bytes.
///
/// Nodes are in file order: the children of a collection follow it, and a key's value follows the key.
struct YAMLNode: Sendable {
  enum Kind: UInt8, Sendable { case scalar, sequence, mapping, alias }

  /// The form of a scalar. It determines where the scalar's text is stored.
  enum Style: UInt8, Sendable {
    /// Plain and on one line. The text is exactly the node's range in the source.
    case plain
    /// Quoted, on one line and without escapes. The text is the range between the quotes.
    case quoted
    /// Plain and on several lines. The decoded text is stored separately.
    case decodedPlain
    /// A block scalar, or a quoted scalar with escapes or several lines. The decoded text is stored separately.
    case decoded
  }

  /// The explicit tag of a node, if it belongs to the core schema.
  enum Tag: UInt8, Sendable { case none, string, integer, float, boolean, null, map, sequence, nonSpecific }

  var kind: Kind
  var style: Style = .plain
  var tag: Tag = .none
  /// True for a mapping that has a key `<<`.
  var hasMerge = false
  var start: UInt32
  var end: UInt32
  /// For a collection, the index of the first node after its descendants. For a decoded scalar, the index of its text.
  /// For an alias, the index of its target.
  var link: UInt32 = 0
}
