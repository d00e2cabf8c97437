import CLibYAML
import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowPlatform

/// Parses a YAML document into a ``NodeTree``. ``PlainScanner`` reads plain documents, and libyaml all others.
///
/// The parser limits anchors, aliases, depth and size, because libyaml does not.
struct YAMLParser {
  private(set) var tree: NodeTree
  private var open: [Int] = []
  private var anchors: [ByteName: Int] = [:]
  private var expandedNodes = 0
  /// The expanded size of each node that an alias refers to.
  private var expansions: [Int: Expansion] = [:]

  /// The number of nodes and the depth that a node has after expanding its aliases.
  private struct Expansion {
    var nodes = 1
    var height = 0
  }
  private var lastEnd = 0
  /// The start of the last scalar that was read completely, or nil.
  private var lastText: Int?

  /// Returns the tree of the only document in `source`, or the reason why it cannot be read.
  static func parse(_ source: SourceText) -> Result<NodeTree, YAMLFailure> {
    if source.bytes.count > Limits.fileBytes {
      return .failure(
        YAMLFailure(
          .fileTooLarge, "the file has \(source.bytes.count) bytes, more than the limit of \(Limits.fileBytes)",
          at: TextSpan(at: 0), help: "split the workflow, or generate fewer steps"))
    }
    return source.bytes.withUnsafeBufferPointer { bytes in
      if let broken = UTF8Check.firstInvalidOffset(in: bytes) {
        return .failure(.invalidUTF8(at: broken, in: bytes))
      }
      if let nodes = PlainScanner.nodes(of: bytes) {
        var tree = NodeTree(source: source)
        tree.nodes = nodes
        return .success(tree)
      }
      return parseWithLibYAML(source, bytes)
    }
  }

  /// Returns the tree of a document as libyaml reads it, even if the document is plain.
  static func parseWithLibYAML(
    _ source: SourceText, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Result<NodeTree, YAMLFailure> {
    var parser = YAMLParser(tree: NodeTree(source: source))
    do throws(YAMLFailure) {
      try checkDirectives(bytes)
      var map = OffsetMap(bytes)
      try parser.run(bytes, &map)
      return .success(parser.tree)
    } catch {
      return .failure(error)
    }
  }

  private init(tree: NodeTree) { self.tree = tree }

  /// Throws if there are too many directives. libyaml compares each directive with all others, so thousands of them
  /// would take hours.
  private static func checkDirectives(_ bytes: UnsafeBufferPointer<UInt8>) throws(YAMLFailure) {
    guard let start = bytes.baseAddress else { return }
    var count = 0
    var offset = 0
    while let found = memchr(start + offset, Int32(UInt8(ascii: "%")), bytes.count - offset) {
      let position = UnsafeRawPointer(start).distance(to: found)
      offset = position + 1
      guard position == 0 || bytes[position - 1] == 0x0A || bytes[position - 1] == 0x0D else { continue }
      count += 1
      if count > Limits.directives {
        throw YAMLFailure(
          .yamlSyntax, "more than \(Limits.directives) directives", at: TextSpan(position, position + 1),
          help: "a workflow needs no line that begins with '%'")
      }
    }
  }

  private mutating func run(_ bytes: UnsafeBufferPointer<UInt8>, _ map: inout OffsetMap) throws(YAMLFailure) {
    // `yaml_parser_t` contains pointers to itself, so it is allocated on the heap and never copied. The bytes outlive
    // it.
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    let event = UnsafeMutablePointer<yaml_event_t>.allocate(capacity: 1)
    defer {
      parser.deallocate()
      event.deallocate()
    }
    guard yaml_parser_initialize(parser) == 1 else {
      throw YAMLFailure(.yamlSyntax, "there is not enough memory to read the file", at: TextSpan(at: 0))
    }
    defer { yaml_parser_delete(parser) }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    // libyaml would count a byte order mark as a column of the first line, so the mark is skipped.
    yaml_parser_set_input_string(parser, bytes.baseAddress.map { $0 + map.base }, bytes.count - map.base)
    tree.nodes.reserveCapacity(bytes.count / 6)
    var documents = 0
    while true {
      guard yaml_parser_parse(parser, event) == 1 else {
        throw YAMLFailure.syntax(parser.pointee, in: bytes, &map, lastText: lastText)
      }
      defer { yaml_event_delete(event) }
      let start = map.offset(of: event.pointee.start_mark.index, in: bytes)
      let end = map.offset(of: event.pointee.end_mark.index, in: bytes)
      switch event.pointee.type {
      case YAML_SCALAR_EVENT: try addScalar(event, bytes, start, end)
      case YAML_MAPPING_START_EVENT:
        let mapping = event.pointee.data.mapping_start
        try openCollection(.mapping, tag: mapping.tag, anchor: mapping.anchor, start, end)
      case YAML_SEQUENCE_START_EVENT:
        let sequence = event.pointee.data.sequence_start
        try openCollection(.sequence, tag: sequence.tag, anchor: sequence.anchor, start, end)
      case YAML_MAPPING_END_EVENT, YAML_SEQUENCE_END_EVENT: closeCollection(start, end)
      case YAML_ALIAS_EVENT: try addAlias(event.pointee.data.alias.anchor, start, end)
      case YAML_DOCUMENT_START_EVENT:
        documents += 1
        if documents > 1 {
          throw YAMLFailure(
            .secondDocument, "a second document begins here; a file holds only one", at: TextSpan(start, end),
            help: "put it into a file of its own, or remove the '---'")
        }
      case YAML_STREAM_END_EVENT: return
      default: break
      }
    }
  }

  @inline(__always)
  private mutating func addScalar(
    _ event: UnsafeMutablePointer<yaml_event_t>, _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int
  ) throws(YAMLFailure) {
    let scalar = event.pointee.data.scalar
    let text = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
    var node = YAMLNode(kind: .scalar, start: UInt32(start), end: UInt32(end))
    let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
    let inset = isPlain ? 0 : 1
    if isPlain || scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE || scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE,
      text.count == end - start - 2 * inset,
      Self.isEqual(text, bytes, start + inset)
    {
      node.style = isPlain ? .plain : .quoted
    } else {
      node.style = isPlain ? .decodedPlain : .decoded
      node.link = UInt32(tree.decodedEnds.count)
      tree.decodedBytes.append(contentsOf: text)
      tree.decodedEnds.append(tree.decodedBytes.count)
    }
    if scalar.tag != nil { node.tag = try tag(scalar.tag, for: .scalar, TextSpan(start, end)) }
    if scalar.anchor != nil { anchors[ByteName(String(cString: scalar.anchor))] = tree.nodes.count }
    if isPlain, text.count == 2, text[0] == UInt8(ascii: "<"), text[1] == UInt8(ascii: "<") { markMerge() }
    tree.nodes.append(node)
    lastEnd = end
    lastText = start
  }

  @inline(__always)
  private static func isEqual(
    _ text: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int
  ) -> Bool {
    for index in 0..<text.count where text[index] != bytes[start + index] { return false }
    return true
  }

  /// Records that the innermost mapping may have a merge key. A value `<<` is recorded as well, so reading the mapping
  /// checks whether `<<` is a key.
  private mutating func markMerge() {
    guard let innermost = open.last, tree.nodes[innermost].kind == .mapping else { return }
    tree.nodes[innermost].hasMerge = true
  }

  private mutating func openCollection(
    _ kind: YAMLNode.Kind, tag: UnsafeMutablePointer<yaml_char_t>?, anchor: UnsafeMutablePointer<yaml_char_t>?,
    _ start: Int, _ end: Int
  ) throws(YAMLFailure) {
    guard open.count < Limits.nestingDepth else {
      throw YAMLFailure(
        .nestingTooDeep, "mappings and lists nest deeper than \(Limits.nestingDepth)",
        at: TextSpan(start, max(end, start + 1)))
    }
    var node = YAMLNode(kind: kind, start: UInt32(start), end: UInt32(end))
    if tag != nil { node.tag = try self.tag(tag, for: kind, TextSpan(start, end)) }
    if anchor != nil { anchors[ByteName(String(cString: anchor!))] = tree.nodes.count }
    open.append(tree.nodes.count)
    tree.nodes.append(node)
    lastEnd = end
  }

  private mutating func closeCollection(_ start: Int, _ end: Int) {
    let index = open.removeLast()
    // For libyaml, a block collection ends at the start of the next token, so the end of its last node is used instead.
    // A flow collection ends at its bracket.
    if end > start { lastEnd = end }
    tree.nodes[index].end = UInt32(max(lastEnd, Int(tree.nodes[index].start)))
    tree.nodes[index].link = UInt32(tree.nodes.count)
  }

  private mutating func addAlias(
    _ anchor: UnsafeMutablePointer<yaml_char_t>?, _ start: Int, _ end: Int
  ) throws(YAMLFailure) {
    let name = String(cString: anchor!)
    let span = TextSpan(start, end)
    guard let target = anchors[ByteName(name)] else {
      let correction = NearestName.of(name, among: anchors.keys.sorted().map(\.text)).map {
        Correction("*\(name)", to: "*\($0)")
      }
      throw YAMLFailure(
        .unknownAlias, "no anchor '&\(name)' precedes this alias", at: span, help: correction?.question,
        correction: correction)
    }
    guard !open.contains(target) else {
      throw YAMLFailure(
        .recursiveAlias, "'*\(name)' refers to itself", at: span,
        related: [.init(tree.span(target).part(0, name.utf8.count + 1), "this is '&\(name)'")])
    }
    let size = expansion(of: target)
    expandedNodes += size.nodes
    guard expandedNodes <= Limits.aliasNodes else {
      throw YAMLFailure(
        .aliasExpansion, "the aliases of the file expand to more than \(Limits.aliasNodes) nodes", at: span)
    }
    guard open.count + size.height <= Limits.nestingDepth else {
      throw YAMLFailure(
        .nestingTooDeep, "with '*\(name)' expanded, mappings and lists nest deeper than \(Limits.nestingDepth)",
        at: span
      )
    }
    var node = YAMLNode(kind: .alias, start: UInt32(start), end: UInt32(end))
    node.link = UInt32(target)
    tree.nodes.append(node)
    lastEnd = end
  }

  /// Returns the expanded size of `target`, which must be complete. The targets of aliases in it must have been
  /// measured before.
  private mutating func expansion(of target: Int) -> Expansion {
    if let known = expansions[target] { return known }
    var size = Expansion(nodes: 0, height: 0)
    var ends: [Int] = []
    for index in target..<tree.next(target) {
      while let end = ends.last, end <= index { ends.removeLast() }
      let node = tree.nodes[index]
      switch node.kind {
      case .scalar: size.nodes += 1
      case .alias:
        let inner = expansions[Int(node.link)] ?? Expansion()
        size.nodes += inner.nodes
        size.height = max(size.height, ends.count + inner.height)
      case .mapping, .sequence:
        size.nodes += 1
        ends.append(Int(node.link))
        size.height = max(size.height, ends.count)
      }
    }
    size.nodes = min(size.nodes, Limits.aliasNodes + 1)
    expansions[target] = size
    return size
  }

  private func tag(
    _ tag: UnsafeMutablePointer<yaml_char_t>?, for kind: YAMLNode.Kind, _ span: TextSpan
  ) throws(YAMLFailure) -> YAMLNode.Tag {
    let name = String(cString: tag!)
    let prefix = "tag:yaml.org,2002:"
    if name == "!" { return .nonSpecific }
    let known = name.hasPrefix(prefix) ? Self.coreTag(name.dropFirst(prefix.count), kind) : nil
    guard let known else {
      throw YAMLFailure(
        .unsupportedTag, "unknown tag '\(name)'", at: span,
        help: Self.isCall(name)
          ? negation(at: span.start)
          : name.hasPrefix("!") && !name.hasPrefix("!!")
            ? "quote a text that begins with '!', as in '\(name)'; of tags, only !!str, !!int, !!float, !!bool, !!null, !!map "
              + "and !!seq are known"
            : "leave it out; only !!str, !!int, !!float, !!bool, !!null, !!map and !!seq are known")
    }
    return known
  }

  private func negation(at location: Int) -> String {
    tree.source.bytes.withUnsafeBufferPointer { BareNegation(at: location, in: $0)?.help }
      ?? "put an expression that begins with '!' in quotes or in ${{ }}"
  }

  /// True if a tag is in fact the beginning of an expression, such as `!cancelled()` or `!inputs.dry-run`.
  private static func isCall(_ tag: String) -> Bool {
    tag.contains("(") || ExpressionDialect.workflow.names.contains { tag.hasPrefix("!\($0).") }
  }

  private static func coreTag(_ name: Substring, _ kind: YAMLNode.Kind) -> YAMLNode.Tag? {
    switch (name, kind) {
    case ("str", .scalar): .string
    case ("int", .scalar): .integer
    case ("float", .scalar): .float
    case ("bool", .scalar): .boolean
    case ("null", .scalar): .null
    case ("map", .mapping): .map
    case ("seq", .sequence): .sequence
    default: nil
    }
  }
}
