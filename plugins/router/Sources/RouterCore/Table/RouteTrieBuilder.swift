/// Builds a tree from one pattern at a time and then converts it to flat arrays.
struct RouteTrieBuilder {
  /// A node of the tree under construction. Its children are linked lists of siblings.
  private struct Draft {
    var parent: Int32
    var edge: Edge
    var firstLiteral: Int32 = -1
    var firstBranch: Int32 = -1
    var sibling: Int32 = -1
    /// The route that ends here, and the route that ends here if its optional last segment is missing. −1 if there is
    /// none.
    var route: Int32 = -1
    var shorterRoute: Int32 = -1
  }

  /// The connection between a draft and its parent.
  private enum Edge {
    case root
    case literal(LiteralID)
    case typed(ParameterType)
    case parameter
    case any
    case rest

    /// The order in which the edges of a draft are tried. Among typed edges, their types decide.
    var rank: Int {
      switch self {
      case .root, .literal: 0
      case .typed: 1
      case .parameter: 2
      case .any: 3
      case .rest: 4
      }
    }
  }

  /// The index of a literal in `literals`.
  private typealias LiteralID = Int32

  private var drafts: [Draft] = []
  /// The distinct literals with their hashes. `folds` is true if the literal is compared ignoring case.
  private var literals: [(label: RouteTrie.Label, hash: UInt64, folds: Bool)] = []
  private var literalIndex: LiteralIndex
  /// The children, indexed by parent and literal.
  private var childIndex: LiteralIndex
  private var trie = RouteTrie()

  /// Creates a builder with room for `literals` literal segments.
  init(literals: Int, foldsFirstSegment: Bool) {
    literalIndex = LiteralIndex(capacity: literals)
    childIndex = LiteralIndex(capacity: literals)
    trie.foldsFirstSegment = foldsFirstSegment
    drafts.reserveCapacity(literals * 2)
  }

  mutating func addRoot() -> Int32 { add(.root, below: -1) }

  /// Returns the draft at which a pattern below `root` ends, and the draft at which it ends if its optional last
  /// segment is missing. Creates missing drafts. If `folds` is true, the first segment may be a host, which is compared
  /// ignoring case.
  mutating func insert(
    _ segments: [RoutePattern.Segment], below root: Int32, folds: Bool
  ) -> (end: Int32, shorterEnd: Int32?) {
    var draft = root
    var shorterEnd: Int32?
    for (depth, segment) in segments.enumerated() {
      switch segment {
      case .literal(let text):
        draft = literal(text, folds: folds && depth == 0 && trie.foldsFirstSegment, below: draft)
      case .parameter(_, let type, let isOptional):
        if isOptional { shorterEnd = draft }
        draft = branch(type == .string ? .parameter : .typed(type), below: draft)
      case .any: draft = branch(.any, below: draft)
      case .rest: draft = branch(.rest, below: draft)
      }
    }
    return (draft, shorterEnd)
  }

  /// Returns the route that ends at a draft, or nil.
  func route(at draft: Int32) -> Int? { drafts[Int(draft)].route < 0 ? nil : Int(drafts[Int(draft)].route) }

  /// Returns the route that ends at a draft if its optional last segment is missing, or nil.
  func shorterRoute(at draft: Int32) -> Int? {
    drafts[Int(draft)].shorterRoute < 0 ? nil : Int(drafts[Int(draft)].shorterRoute)
  }

  mutating func setRoute(_ route: Int, at draft: Int32) { drafts[Int(draft)].route = Int32(route) }

  mutating func setShorterRoute(_ route: Int, at draft: Int32) { drafts[Int(draft)].shorterRoute = Int32(route) }
}

// MARK: - Adding patterns

extension RouteTrieBuilder {
  private mutating func add(_ edge: Edge, below parent: Int32) -> Int32 {
    drafts.append(Draft(parent: parent, edge: edge))
    return Int32(drafts.count - 1)
  }

  private mutating func literal(_ text: String, folds: Bool, below parent: Int32) -> Int32 {
    let literal = literal(text, folds: folds)
    let hash = SegmentHash.combine(literals[Int(literal)].hash, below: parent)
    let known = childIndex.find(hash) { child in
      guard drafts[Int(child)].parent == parent, case .literal(literal) = drafts[Int(child)].edge else { return false }
      return true
    }
    if known >= 0 { return known }
    let child = add(.literal(literal), below: parent)
    drafts[Int(child)].sibling = drafts[Int(parent)].firstLiteral
    drafts[Int(parent)].firstLiteral = child
    childIndex.insert(hash, child)
    return child
  }

  /// Returns the literal with this text, which is stored only once. If case is ignored, texts that differ only in case
  /// share the literal that was added first.
  private mutating func literal(_ text: String, folds: Bool) -> LiteralID {
    let start = trie.text.count
    trie.text.append(contentsOf: text.utf8)
    let count = trie.text.count - start
    let hash = SegmentHash.hash(trie.text.span, from: start, to: start + count)
    let known = literalIndex.find(hash) { candidate in
      let label = literals[Int(candidate)].label
      guard literals[Int(candidate)].folds == folds, Int(label.end - label.start) == count else { return false }
      if folds { return (0..<count).allSatisfy { isSameLetter(Int(label.start) + $0, start + $0) } }
      let raw = trie.text.span.bytes
      return SegmentBytes.areEqual(raw, at: Int(label.start), raw, at: start, count: count)
    }
    if known >= 0 {
      trie.text.removeLast(count)
      return known
    }
    let id = LiteralID(literals.count)
    literals.append((RouteTrie.Label(start: UInt32(start), end: UInt32(start + count)), hash, folds))
    literalIndex.insert(hash, id)
    return id
  }

  private func isSameLetter(_ place: Int, _ other: Int) -> Bool {
    ASCII.lowercased(trie.text[place]) == ASCII.lowercased(trie.text[other])
  }

  private mutating func branch(_ edge: Edge, below parent: Int32) -> Int32 {
    var child = drafts[Int(parent)].firstBranch
    while child >= 0 {
      if Self.isSame(drafts[Int(child)].edge, edge) { return child }
      child = drafts[Int(child)].sibling
    }
    let added = add(edge, below: parent)
    drafts[Int(added)].sibling = drafts[Int(parent)].firstBranch
    drafts[Int(parent)].firstBranch = added
    return added
  }

  private static func isSame(_ left: Edge, _ right: Edge) -> Bool {
    if case .typed(let type) = left, case .typed(let other) = right {
      return !type.precedes(other) && !other.precedes(type)
    }
    return left.rank == right.rank
  }

  private static func precedes(_ left: Edge, _ right: Edge) -> Bool {
    if case .typed(let type) = left, case .typed(let other) = right { return type.precedes(other) }
    return left.rank < right.rank
  }
}

// MARK: - Converting to arrays

extension RouteTrieBuilder {
  /// Returns the finished tree. Its roots are in the order of the given ones.
  consuming func finished(roots: [Int32]) -> (trie: RouteTrie, roots: [Int32]) {
    trie.nodes.reserveCapacity(drafts.count)
    trie.labels.reserveCapacity(drafts.count)
    trie.index = LiteralIndex(capacity: childIndex.count)
    let laidOut = roots.map { layOut($0, below: -1) }
    return (trie, laidOut)
  }

  /// Stores the subtree of a draft, parents before children, and returns its root node. The depth of the recursion is
  /// limited by the length of a pattern.
  private mutating func layOut(_ start: Int32, below parent: Int32) -> Int32 {
    var draft = start
    var node = RouteTrie.TrieNode(parent: parent, firstLabel: UInt32(trie.labels.count))
    let id = Int32(trie.nodes.count)
    if case .literal(let literal) = drafts[Int(draft)].edge {
      trie.labels.append(literals[Int(literal)].label)
      trie.index.insert(SegmentHash.combine(literals[Int(literal)].hash, below: parent), id)
    }
    while let (next, literal) = soleLiteral(below: draft) {
      trie.labels.append(literals[Int(literal)].label)
      draft = next
    }
    node.labelCount = UInt16(trie.labels.count - Int(node.firstLabel))
    node.route = drafts[Int(draft)].route >= 0 ? drafts[Int(draft)].route : drafts[Int(draft)].shorterRoute
    node.hasLiterals = drafts[Int(draft)].firstLiteral >= 0
    trie.nodes.append(node)
    var child = drafts[Int(draft)].firstLiteral
    while child >= 0 {
      _ = layOut(child, below: id)
      child = drafts[Int(child)].sibling
    }
    layOutBranches(of: draft, at: id)
    return id
  }

  private mutating func layOutBranches(of draft: Int32, at node: Int32) {
    var children: [Int32] = []
    var child = drafts[Int(draft)].firstBranch
    while child >= 0 {
      children.append(child)
      child = drafts[Int(child)].sibling
    }
    guard !children.isEmpty else { return }
    children.sort { Self.precedes(drafts[Int($0)].edge, drafts[Int($1)].edge) }
    let laidOut = children.map { layOut($0, below: node) }
    trie.nodes[Int(node)].firstBranch = UInt32(trie.branches.count)
    trie.nodes[Int(node)].branchCount = UInt16(children.count)
    for (child, id) in zip(children, laidOut) {
      trie.branches.append(branch(drafts[Int(child)].edge, to: id))
    }
  }

  private mutating func branch(_ edge: Edge, to node: Int32) -> RouteTrie.Branch {
    switch edge {
    case .typed(let type):
      let known = trie.types.firstIndex(of: type)
      if known == nil { trie.types.append(type) }
      return RouteTrie.Branch(kind: .typed, type: UInt16(known ?? trie.types.count - 1), node: node)
    case .rest: return RouteTrie.Branch(kind: .rest, type: 0, node: node)
    case .parameter, .any, .root, .literal: return RouteTrie.Branch(kind: .one, type: 0, node: node)
    }
  }

  /// Returns the only child of a draft and the literal that leads to it. Returns nil if there are other children or the
  /// edge is not a literal, and if a route ends at the draft.
  ///
  /// Also returns nil for roots, because their children may be compared ignoring case, and for drafts after `**`,
  /// because they are tried at every segment.
  private func soleLiteral(below draft: Int32) -> (Int32, LiteralID)? {
    let here = drafts[Int(draft)]
    switch here.edge {
    case .root, .rest: return nil
    default: break
    }
    guard here.route < 0, here.shorterRoute < 0, here.firstBranch < 0, here.firstLiteral >= 0,
      drafts[Int(here.firstLiteral)].sibling < 0, case .literal(let literal) = drafts[Int(here.firstLiteral)].edge
    else { return nil }
    return (here.firstLiteral, literal)
  }
}
