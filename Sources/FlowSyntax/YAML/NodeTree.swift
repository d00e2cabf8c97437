import FlowDiagnostics

/// A YAML document as one flat array of nodes that point into the source.
///
/// No text is copied while parsing but that of scalars with escapes or line folds, so a plan of 100,000 steps costs a
/// few arrays instead of a million objects.
struct NodeTree: Sendable {
  let source: SourceText
  var nodes: [YAMLNode] = []
  /// The texts of decoded scalars, one after the other.
  var decodedBytes: [UInt8] = []
  /// Where the text of each decoded scalar ends; it begins where the one before ends.
  var decodedEnds: [Int] = []

  init(source: SourceText) { self.source = source }

  /// The root of the document; there is none when the document is empty.
  var root: NodeID? { nodes.isEmpty ? nil : 0 }

  /// The node that an alias stands for, else the node itself.
  func resolve(_ id: NodeID) -> NodeID { nodes[id].kind == .alias ? Int(nodes[id].link) : id }

  /// The kind of the node, seen through an alias.
  func kind(_ id: NodeID) -> YAMLNode.Kind { nodes[resolve(id)].kind }

  /// The place of the node; of an alias the alias's own.
  func span(_ id: NodeID) -> TextSpan { TextSpan(Int(nodes[id].start), Int(nodes[id].end)) }

  /// The node behind `id` and everything inside it.
  func next(_ id: NodeID) -> NodeID {
    let node = nodes[id]
    return node.kind == .sequence || node.kind == .mapping ? Int(node.link) : id + 1
  }

  /// The elements of a sequence, seen through an alias.
  func elements(_ id: NodeID) -> [NodeID] {
    let sequence = resolve(id)
    var result: [NodeID] = []
    var child = sequence + 1
    while child < next(sequence) {
      result.append(child)
      child = next(child)
    }
    return result
  }

  /// Calls `body` with the text of a scalar, seen through an alias.
  @inline(__always)
  func withText<Result>(_ id: NodeID, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    let node = nodes[resolve(id)]
    switch node.style {
    case .plain:
      return try source.bytes.withUnsafeBufferPointer {
        try body(UnsafeBufferPointer(rebasing: $0[Int(node.start)..<Int(node.end)]))
      }
    case .quoted:
      return try source.bytes.withUnsafeBufferPointer {
        try body(UnsafeBufferPointer(rebasing: $0[Int(node.start) + 1..<Int(node.end) - 1]))
      }
    case .decodedPlain, .decoded:
      let location = Int(node.link)
      let start = location == 0 ? 0 : decodedEnds[location - 1]
      return try decodedBytes.withUnsafeBufferPointer {
        try body(UnsafeBufferPointer(rebasing: $0[start..<decodedEnds[location]]))
      }
    }
  }

  /// The text of a scalar, seen through an alias.
  func text(_ id: NodeID) -> String { withText(id) { String(decoding: $0, as: UTF8.self) } }

  /// Where the byte at `offset` of a scalar's text is in the source; nil if escapes or folds hide it.
  func sourceOffset(of id: NodeID, textOffset offset: Int) -> Int? {
    let node = nodes[id]
    guard node.kind == .scalar else { return nil }
    switch node.style {
    case .plain: return Int(node.start) + offset
    case .quoted: return Int(node.start) + 1 + offset
    case .decodedPlain, .decoded: return sourceOffset(ofDecoded: id, textOffset: offset)
    }
  }

  /// Looks for the line of a decoded text in the source: in a block scalar it is there behind its indentation, each
  /// line behind the one before.
  private func sourceOffset(ofDecoded id: NodeID, textOffset offset: Int) -> Int? {
    let text = withText(id) { Array($0) }
    guard offset <= text.count else { return nil }
    let end = Int(nodes[id].end)
    var position = Int(nodes[id].start)
    var lineStart = 0
    while true {
      let lineEnd = text[lineStart...].firstIndex(of: 0x0A) ?? text.count
      let line = text[lineStart..<lineEnd].drop { $0 == 0x20 }
      let isWanted = offset <= lineEnd
      if !line.isEmpty {
        guard let start = firstLocation(of: line, in: position..<end) else { return nil }
        if isWanted { return line.startIndex <= offset ? start + offset - line.startIndex : nil }
        position = start + line.count
      } else if isWanted {
        return nil
      }
      guard lineEnd < text.count else { return nil }
      lineStart = lineEnd + 1
    }
  }

  private func firstLocation(of line: ArraySlice<UInt8>, in range: Range<Int>) -> Int? {
    guard range.count >= line.count else { return nil }
    return (range.lowerBound...(range.upperBound - line.count)).first { start in
      source.bytes[start] == line[line.startIndex] && source.bytes[start...].starts(with: line)
    }
  }
}
