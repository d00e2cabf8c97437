/// The location of a node in its ``NodeTree``.
typealias NodeID = Int

/// One node of a YAML document, in 16 bytes.
///
/// Nodes are in file order: the children of a collection follow it, those of a mapping as key, value, key, value.
struct YAMLNode: Sendable {
  enum Kind: UInt8, Sendable { case scalar, sequence, mapping, alias }

  /// Where the text of a scalar is.
  enum Style: UInt8, Sendable {
    /// Plain, and the span is the text.
    case plain
    /// Quoted, and what is between the quotes is the text.
    case quoted
    /// Plain over several lines; the text was decoded.
    case decodedPlain
    /// Quoted with escapes or over several lines, or a block scalar; the text was decoded.
    case decoded
  }

  /// The tag that the file states, of those that the core schema knows.
  enum Tag: UInt8, Sendable { case none, string, integer, float, boolean, null, map, sequence, nonSpecific }

  var kind: Kind
  var style: Style = .plain
  var tag: Tag = .none
  /// Of a mapping: whether some key is `<<`.
  var hasMerge = false
  var start: UInt32
  var end: UInt32
  /// Of a collection: the node behind its last descendant. Of a decoded scalar: its place among the decoded texts. Of
  /// an alias: the node that it stands for.
  var link: UInt32 = 0
}
