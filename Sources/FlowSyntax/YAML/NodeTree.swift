import FlowDiagnostics

/// A YAML document as an array of nodes that refer to the source text.
///
/// Text is copied only for scalars with escapes or several lines. So a workflow of 100,000 steps needs a few arrays
/// instead of a million objects.
struct NodeTree: Sendable {
  let source: SourceText
  var nodes: [YAMLNode] = []
  /// The texts of all decoded scalars, concatenated.
  var decodedBytes: [UInt8] = []
  /// The end of each decoded text in ``decodedBytes``. A text begins where the previous one ends.
  var decodedEnds: [Int] = []

  init(source: SourceText) { self.source = source }

  /// The root node, or nil if the document is empty.
  var root: NodeID? { nodes.isEmpty ? nil : 0 }

  /// Returns the target of an alias, or the node itself.
  func resolve(_ id: NodeID) -> NodeID { nodes[id].kind == .alias ? Int(nodes[id].link) : id }

  /// Returns the kind of a node. For an alias, this is the kind of its target.
  func kind(_ id: NodeID) -> YAMLNode.Kind { nodes[resolve(id)].kind }

  func span(_ id: NodeID) -> TextSpan { TextSpan(Int(nodes[id].start), Int(nodes[id].end)) }

  /// Returns the first node after `id` and its descendants.
  func next(_ id: NodeID) -> NodeID {
    let node = nodes[id]
    return node.kind == .sequence || node.kind == .mapping ? Int(node.link) : id + 1
  }

  /// Returns the elements of a sequence. An alias to a sequence is resolved.
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

  /// Calls `body` with the text of a scalar. An alias to a scalar is resolved.
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

  /// Returns the text of a scalar. An alias to a scalar is resolved.
  func text(_ id: NodeID) -> String { withText(id) { String(decoding: $0, as: UTF8.self) } }

  /// Returns the location in the source of a byte in a scalar's text. Returns nil if the byte cannot be located because
  /// of an escape or a line break.
  func sourceOffset(of id: NodeID, textOffset offset: Int) -> Int? {
    let node = nodes[id]
    guard node.kind == .scalar else { return nil }
    switch node.style {
    case .plain: return Int(node.start) + offset
    case .quoted: return Int(node.start) + 1 + offset
    case .decodedPlain, .decoded: return sourceOffset(ofDecoded: id, textOffset: offset)
    }
  }

  /// Returns the location in the source of a byte in a decoded text. A block scalar has the same lines in the same
  /// order, each after its indentation. Returns nil if the byte is in a blank line or among the spaces at the beginning
  /// of a line, or if the line cannot be found.
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
