/// The patterns of all routes as a tree of segments, stored in flat arrays. A chain of single literals is merged into
/// one node.
///
/// If a branch fails further down, the next branch is tried. A pattern has at most one `**`, so a node is visited at
/// most once per segment of the URL, and the recursion is at most as deep as the number of segments.
struct RouteTrie: Sendable {
  /// A node of the tree. Several literals may lead to it.
  struct TrieNode: Sendable {
    var parent: Int32
    /// The route that ends here, or −1.
    var route: Int32 = -1
    /// The literals that lead from the parent to this node, as a range of `labels`.
    var firstLabel: UInt32 = 0
    var labelCount: UInt16 = 0
    /// The branches without a literal, in order of precedence, as a range of `branches`.
    var branchCount: UInt16 = 0
    var firstBranch: UInt32 = 0
    /// True if the node has literal children.
    var hasLiterals = false
  }

  /// A literal's bytes, as a range of `text`.
  struct Label: Sendable {
    var start: UInt32
    var end: UInt32
  }

  /// A branch for a parameter, `*` or `**`.
  struct Branch: Sendable {
    enum Kind: UInt8, Sendable {
      /// A segment of the type `types[type]`.
      case typed
      /// Any one segment: a parameter without a type, or `*`.
      case one
      /// One or more segments.
      case rest
    }

    var kind: Kind
    var type: UInt16
    var node: Int32
  }

  var nodes: [TrieNode] = []
  var labels: [Label] = []
  var branches: [Branch] = []
  var types: [ParameterType] = []
  var text: [UInt8] = []
  var index = LiteralIndex(capacity: 0)
  /// True if the first segment of a custom scheme's URL, which is the host by RFC 3986, is compared ignoring case.
  var foldsFirstSegment = true
}

extension RouteTrie {
  /// The facts about a URL that a search needs in addition to its bytes.
  private struct Path {
    let count: Int
    let folds: Bool
  }

  /// Returns the route of the most specific pattern below `root` that matches the URL, or −1 if none does.
  @inline(__always)
  func match(_ url: borrowing ScannedURL, from root: Int32) -> Int32 {
    let slots = url.slots
    let path = Path(count: url.segmentCount, folds: foldsFirstSegment && url.kind == .customScheme)
    return url.withBytes { bytes in search(root, 0, enteredBy: 0, bytes, slots.span, path) }
  }

  /// Searches below `start`, from the URL's segment `first`. The first `entered` labels of the node have already
  /// matched.
  private func search(
    _ start: Int32, _ first: Int, enteredBy entered: Int, _ bytes: Span<UInt8>, _ slots: Span<ScannedURL.Slot>,
    _ path: Path
  ) -> Int32 {
    var current = start
    var segment = first
    var entered = entered
    descend: while true {
      let node = nodes[Int(current)]
      if Int(node.labelCount) > entered {
        let rest = Int(node.labelCount) - entered
        guard segment + rest <= path.count else { return -1 }
        for offset in 0..<rest {
          guard isLabel(Int(node.firstLabel) + entered + offset, segment + offset, bytes, slots, path) else {
            return -1
          }
        }
        segment += rest
      }
      if segment == path.count { return node.route }
      if node.hasLiterals {
        let child = literalChild(of: current, segment, bytes, slots, path)
        if child >= 0 {
          if node.branchCount == 0 {
            current = child
            segment += 1
            entered = 1
            continue descend
          }
          let route = search(child, segment + 1, enteredBy: 1, bytes, slots, path)
          if route >= 0 { return route }
        }
      }
      let end = Int(node.firstBranch) + Int(node.branchCount)
      for position in Int(node.firstBranch)..<end {
        let branch = branches[position]
        switch branch.kind {
        case .rest: return searchRest(branch.node, segment + 1, bytes, slots, path)
        case .typed:
          let slot = slots[segment]
          guard types[Int(branch.type)].accepts(bytes, from: Int(slot.start), to: Int(slot.end)) else { continue }
        case .one: break
        }
        if position + 1 == end {
          current = branch.node
          segment += 1
          entered = 0
          continue descend
        }
        let route = search(branch.node, segment + 1, enteredBy: 0, bytes, slots, path)
        if route >= 0 { return route }
      }
      return -1
    }
  }

  /// Searches after a `**` that has matched the segments before `first`. A `**` captures as few segments as possible.
  private func searchRest(
    _ node: Int32, _ first: Int, _ bytes: Span<UInt8>, _ slots: Span<ScannedURL.Slot>, _ path: Path
  ) -> Int32 {
    for segment in first..<max(first, path.count) {
      let route = search(node, segment, enteredBy: 0, bytes, slots, path)
      if route >= 0 { return route }
    }
    return nodes[Int(node)].route
  }

  @inline(__always)
  private func literalChild(
    of parent: Int32, _ segment: Int, _ bytes: Span<UInt8>, _ slots: Span<ScannedURL.Slot>, _ path: Path
  ) -> Int32 {
    let slot = slots[segment]
    let hash = SegmentHash.hash(bytes, from: Int(slot.start), to: Int(slot.end))
    return index.find(SegmentHash.combine(hash, below: parent)) { child in
      let node = nodes[Int(child)]
      return node.parent == parent && isLabel(Int(node.firstLabel), segment, bytes, slots, path)
    }
  }

  @inline(__always)
  private func isLabel(
    _ label: Int, _ segment: Int, _ bytes: Span<UInt8>, _ slots: Span<ScannedURL.Slot>, _ path: Path
  ) -> Bool {
    let label = labels[label]
    let slot = slots[segment]
    let count = Int(slot.end - slot.start)
    guard Int(label.end - label.start) == count else { return false }
    if SegmentBytes.areEqual(text.span.bytes, at: Int(label.start), bytes.bytes, at: Int(slot.start), count: count) {
      return true
    }
    return path.folds && segment == 0 && isLabelFolded(label, bytes, from: Int(slot.start))
  }

  private func isLabelFolded(_ label: Label, _ bytes: Span<UInt8>, from start: Int) -> Bool {
    var position = start
    for index in Int(label.start)..<Int(label.end) {
      guard ASCII.lowercased(text[index]) == ASCII.lowercased(bytes[position]) else { return false }
      position += 1
    }
    return true
  }
}
