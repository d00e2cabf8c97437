import FlowDiagnostics
import FlowModel

/// A value of a YAML file with the location where it is, for the files of plugins that are next to workflows.
public struct PlacedValue: Sendable {
  /// What is there.
  public indirect enum Content: Sendable {
    /// A single value.
    case scalar(Value)
    /// A list.
    case list([PlacedValue])
    /// A map, in the order of the file; no key is twice.
    case map([Member])
  }

  /// A key of a map with its value.
  public struct Member: Sendable {
    /// The key.
    public var key: String
    /// Where the key is.
    public var keySpan: Span
    /// The value.
    public var value: PlacedValue
  }

  /// What is there.
  public var content: Content
  /// Where it is.
  public var span: Span

  /// What it is, for a message: `a map`, `the string "yes"`.
  public var found: String {
    switch content {
    case .map: "a mapping"
    case .list: "a list"
    case .scalar(.null): "nothing"
    case .scalar(.string(let text)): "the string \(Value.string(text).shortText)"
    case .scalar(let value): "the \(value.kindName) \(value.shortText)"
    }
  }

  /// The member of a map under a key.
  public func member(_ key: String) -> Member? {
    guard case .map(let members) = content else { return nil }
    return members.first { $0.key == key }
  }

  /// What is at a node that has been read before, so that reading it raises nothing new.
  static func of(_ node: NodeID, in tree: NodeTree) -> PlacedValue {
    var reader = PlacedReader(tree: tree)
    return reader.value(node)
  }

  /// Reads a file; the value is nil when it is empty or no YAML, and `diagnostics` says why.
  public static func read(_ source: SourceText) -> (value: PlacedValue?, diagnostics: [Diagnostic]) {
    switch YAMLParser.parse(source) {
    case .failure(let failure): return (nil, [failure.diagnostic])
    case .success(let tree):
      var reader = PlacedReader(tree: tree)
      let value = tree.root.map { reader.value($0) }
      return (value, reader.diagnostics.uniqueByLocation())
    }
  }
}

/// Turns a tree into placed values.
private struct PlacedReader: DocumentReading {
  let tree: NodeTree
  var diagnostics: [Diagnostic] = []

  init(tree: NodeTree) { self.tree = tree }

  mutating func value(_ node: NodeID) -> PlacedValue {
    switch tree.kind(node) {
    case .mapping: return PlacedValue(content: .map(members(node)), span: span(node))
    case .sequence: return PlacedValue(content: .list(tree.elements(node).map { value($0) }), span: span(node))
    case .scalar, .alias:
      return PlacedValue(content: .scalar(tree.scalarValue(node) ?? .null), span: span(node))
    }
  }

  private mutating func members(_ node: NodeID) -> [PlacedValue.Member] {
    var members: [PlacedValue.Member] = []
    var seen: Set<String> = []
    var cursor = tree.members(of: node, failures: &diagnostics)
    while let member = cursor.next(in: tree) {
      guard let key = keyText(member.key) else { continue }
      if seen.insert(key).inserted {
        members.append(.init(key: key, keySpan: span(member.key), value: value(member.value)))
      } else {
        reportDuplicate(member.key, in: node)
      }
    }
    return members
  }
}
