import FlowDiagnostics
import FlowModel

extension PlacedValue {
  /// Returns the value of a node. The node must already have been read and checked, because errors in it are ignored.
  static func of(_ node: NodeID, in tree: NodeTree) -> PlacedValue {
    var reader = PlacedReader(tree: tree)
    return reader.value(node)
  }

  /// Reads a file. The value is nil if the file is empty or not YAML. `diagnostics` contains the errors in the file; an
  /// empty file has none.
  package static func read(_ source: SourceText) -> (value: PlacedValue?, diagnostics: [Diagnostic]) {
    switch YAMLParser.parse(source) {
    case .failure(let failure): return (nil, [failure.diagnostic])
    case .success(let tree):
      var reader = PlacedReader(tree: tree)
      let value = tree.root.map { reader.value($0) }
      return (value, reader.diagnostics.uniqueByLocation())
    }
  }
}

/// Reads values together with their locations.
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
    var seen: Set<ByteName> = []
    var cursor = tree.members(of: node, failures: &diagnostics)
    while let member = cursor.next(in: tree) {
      guard let key = keyText(member.key) else { continue }
      if seen.insert(ByteName(key)).inserted {
        members.append(.init(key: key, keySpan: span(member.key), value: value(member.value)))
      } else {
        reportDuplicate(member.key, in: node)
      }
    }
    return members
  }
}
