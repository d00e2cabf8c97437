/// Nearest-point search over points that already lie in k-d order, so that loading builds no tree: blocks of eight
/// consecutive points are the leaves, two leaves make a node, two nodes the next; all that is computed is, bottom up,
/// where each node's halves end.
///
/// The answer is exact whatever the order; only the speed depends on it. Points are on the unit sphere, distances are
/// squared chords (see `UnitVectors`). A leaf may hold *followers* besides its eight points: nameless places that lie in
/// the same cell, so that one descent finds the nearest named place and the nearest of all. Every point has a label (its
/// country), by which a filtered search passes over whole subtrees.
final class PointTree: Sendable {
  /// Points in a leaf, its followers not counted.
  static let blockSize = 8
  /// Beyond the antipode, whose squared chord is 4: no limit.
  static let everywhere: Float = 5
  /// The label of a subtree whose points have different ones.
  private static let mixed: UInt8 = 0xFE
  /// The label of a subtree without points.
  private static let empty: UInt8 = 0xFF

  /// A point that a search found.
  struct Hit {
    /// The number of the point in the order given; of a follower, its number among the followers.
    var index: Int
    /// Whether it is a follower.
    var isFollower: Bool
    /// Its squared chord from the query.
    var squaredChord: Float

    /// Nothing found closer than the limit.
    fileprivate static func none(closerThan limit: Float) -> Hit {
      Hit(index: -1, isFollower: false, squaredChord: min(limit, PointTree.everywhere))
    }
    fileprivate var found: Hit? { index < 0 ? nil : self }
  }

  /// The points that the tree holds, by number.
  struct Points {
    /// How many.
    var count: Int
    /// The label of each, below 0xFE.
    var label: (Int) -> UInt8
    /// Where each is on the unit sphere.
    var point: (Int) -> SIMD3<Float>
  }

  /// Four points, coordinate by coordinate.
  private struct Quad {
    var x: SIMD4<Float>
    var y: SIMD4<Float>
    var z: SIMD4<Float>
    /// Numbers that it consists of.
    static let floatCount = 12
    /// Far from everything on the sphere, never a hit.
    static let empty = Quad(x: .init(repeating: 16), y: .init(repeating: 16), z: .init(repeating: 16))

    @inline(__always)
    func squaredChords(to q: SIMD3<Float>) -> SIMD4<Float> {
      let dx = x - q.x
      let dy = y - q.y
      let dz = z - q.z
      return dx * dx + dy * dy + dz * dz
    }
  }

  /// Two subtrees and, on the axis that divides them best, where the first ends and the second begins.
  private struct Node {
    var firstEnd: Float
    var secondStart: Float
    var axis: UInt8
    var firstLabel: UInt8
    var secondLabel: UInt8
  }

  /// A bounding box while the tree is computed.
  private struct Box {
    var low = SIMD3<Float>(repeating: 16)
    var high = SIMD3<Float>(repeating: -16)
    var label = PointTree.empty

    @inline(__always)
    mutating func extend(_ other: Box) {
      low = SIMD3(Swift.min(low.x, other.low.x), Swift.min(low.y, other.low.y), Swift.min(low.z, other.low.z))
      high = SIMD3(Swift.max(high.x, other.high.x), Swift.max(high.y, other.high.y), Swift.max(high.z, other.high.z))
      if other.label != PointTree.empty {
        label = label == PointTree.empty || label == other.label ? other.label : PointTree.mixed
      }
    }
  }

  /// The number of points, followers not counted.
  let count: Int
  private let leafCount: Int
  /// Where the nodes of each level begin; level 0 joins leaves, the last has one node.
  private let levelStarts: [Int]
  // The buffers are written in the initializer only and freed when nobody can search any more.
  /// For each leaf its first quad and first follower; one more at the end.
  private nonisolated(unsafe) let leaves: UnsafeMutablePointer<(quad: Int32, follower: Int32)>
  /// Two quads of points to a leaf, then those of its followers.
  private nonisolated(unsafe) let quads: UnsafeMutablePointer<Quad>
  /// The label of each lane of each quad.
  private nonisolated(unsafe) let labels: UnsafeMutablePointer<SIMD4<UInt8>>
  private nonisolated(unsafe) let nodes: UnsafeMutablePointer<Node>

  /// - Parameters:
  ///   - points: the points in k-d order.
  ///   - followers: further points, those of the first leaf first.
  ///   - followerCount: how many of them each leaf has.
  init(
    _ points: Points, followers: Points = Points(count: 0, label: { _ in 0 }, point: { _ in .zero }),
    followerCount: (Int) -> Int = { _ in 0 }
  ) {
    count = points.count
    leafCount = max(1, (points.count + Self.blockSize - 1) / Self.blockSize)
    leaves = .allocate(capacity: leafCount + 1)
    var quadCount = 0
    var follower = 0
    for leaf in 0...leafCount {
      leaves[leaf] = (Int32(quadCount), Int32(follower))
      guard leaf < leafCount else { break }
      let own = followerCount(leaf)
      quadCount += 2 + (own + 3) / 4
      follower += own
    }
    quads = .allocate(capacity: quadCount)
    quads.initialize(repeating: .empty, count: quadCount)
    labels = .allocate(capacity: quadCount)
    labels.initialize(repeating: SIMD4(repeating: Self.empty), count: quadCount)

    var starts: [Int] = []
    var total = 0
    var children = leafCount
    repeat {
      children = (children + 1) / 2
      starts.append(total)
      total += children
    } while children > 1
    levelStarts = starts
    nodes = .allocate(capacity: total)
    join(boxes: place(points, followers))
  }

  deinit {
    leaves.deallocate()
    quads.deallocate()
    labels.deallocate()
    nodes.deallocate()
  }

  /// Puts the points into their quads; returns the box of each leaf.
  private func place(_ points: Points, _ followers: Points) -> [Box] {
    var boxes = [Box](repeating: Box(), count: leafCount)
    for leaf in 0..<leafCount {
      var box = Box()
      let quad = Int(leaves[leaf].quad)
      // Lanes are written one by one as plain numbers: changing a lane of a vector would move all of it.
      let floats = UnsafeMutableRawPointer(quads + quad).assumingMemoryBound(to: Float.self)
      let ownLabels = UnsafeMutableRawPointer(labels + quad).assumingMemoryBound(to: UInt8.self)
      @inline(__always)
      func put(_ source: Points, _ index: Int, _ lane: Int) {
        let p = source.point(index)
        let label = source.label(index)
        let at = floats + (lane >> 2) * Quad.floatCount + (lane & 3)
        at[0] = p.x
        at[4] = p.y
        at[8] = p.z
        ownLabels[lane] = label
        box.extend(Box(low: p, high: p, label: label))
      }
      let first = leaf * Self.blockSize
      for index in first..<min(count, first + Self.blockSize) { put(points, index, index - first) }
      let start = Int(leaves[leaf].follower)
      for index in start..<Int(leaves[leaf + 1].follower) { put(followers, index, Self.blockSize + index - start) }
      boxes[leaf] = box
    }
    return boxes
  }

  /// Joins boxes two by two, level by level, and keeps the gap between the two on the axis where it is widest.
  private func join(boxes leafBoxes: [Box]) {
    var boxes = leafBoxes
    for start in levelStarts {
      var joined: [Box] = []
      joined.reserveCapacity((boxes.count + 1) / 2)
      for index in stride(from: 0, to: boxes.count, by: 2) {
        let first = boxes[index]
        let second = index + 1 < boxes.count ? boxes[index + 1] : Box()
        let gap = second.low - first.high
        let axis = gap.x >= gap.y ? (gap.x >= gap.z ? 0 : 2) : (gap.y >= gap.z ? 1 : 2)
        nodes[start + index / 2] = Node(
          firstEnd: first.high[axis], secondStart: second.low[axis], axis: UInt8(axis), firstLabel: first.label,
          secondLabel: second.label)
        var both = first
        both.extend(second)
        joined.append(both)
      }
      boxes = joined
    }
  }

  /// What a descent carries: the query, how far the current cell is from it on each axis, and the best so far.
  private struct Search {
    let query: SIMD3<Float>
    /// The query's three numbers, and how far the current cell is from it on each axis: memory of the search's own,
    /// where one of three is read and written by its number faster than in a vector.
    let axes: UnsafeMutablePointer<Float>
    /// The nearest of the points.
    var named: Hit
    /// The nearest of all.
    var best: Hit

    @inline(__always)
    init(_ query: SIMD3<Float>, _ axes: UnsafeMutableBufferPointer<Float>, closerThan limit: Float) {
      self.query = query
      self.axes = axes.baseAddress!
      for axis in 0..<3 {
        self.axes[axis] = query[axis]
        self.axes[PointTree.offsets + axis] = 0
      }
      named = .none(closerThan: limit)
      best = .none(closerThan: limit)
    }
  }

  /// Where in `Search.axes` the offsets begin.
  private static let offsets = 3
  private static let axesSize = 6

  /// The nearest point, and the nearest of points and followers, closer than `limit` (a squared chord).
  @inline(__always)
  func nearest(to query: SIMD3<Float>, closerThan limit: Float = everywhere) -> (named: Hit?, best: Hit?) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.axesSize) { axes in
      var search = Search(query, axes, closerThan: limit)
      visit(level: levelStarts.count - 1, node: 0, distance: 0, &search)
      return (search.named.found, search.best.found)
    }
  }

  private func visit(level: Int, node index: Int, distance: Float, _ search: inout Search) {
    let node = nodes[levelStarts[level] &+ index]
    let axis = Int(node.axis)
    let offset = search.axes[Self.offsets + axis]
    let position = search.axes[axis]
    let toFirst = max(offset, position - node.firstEnd)
    let toSecond = max(offset, node.secondStart - position)
    let rest = distance - offset * offset
    let isSecondNearer = position - node.firstEnd > node.secondStart - position
    let near = isSecondNearer ? toSecond : toFirst
    let far = isSecondNearer ? toFirst : toSecond
    let child = 2 &* index
    let nearChild = child &+ (isSecondNearer ? 1 : 0)

    let nearDistance = rest + near * near
    if nearDistance < search.named.squaredChord {
      search.axes[Self.offsets + axis] = near
      descend(level: level, nearChild, distance: nearDistance, &search)
    }
    let farDistance = rest + far * far
    if farDistance < search.named.squaredChord {
      search.axes[Self.offsets + axis] = far
      descend(level: level, nearChild ^ 1, distance: farDistance, &search)
    }
    search.axes[Self.offsets + axis] = offset
  }

  @inline(__always)
  private func descend(level: Int, _ child: Int, distance: Float, _ search: inout Search) {
    if level > 0 { return visit(level: level &- 1, node: child, distance: distance, &search) }
    guard child < leafCount else { return }
    let leaf = leaves[child]
    let first = Int(leaf.quad)
    for quad in 0..<2 {
      let chords = quads[first &+ quad].squaredChords(to: search.query)
      guard Self.isAny(chords, below: search.named.squaredChord) else { continue }
      for lane in 0..<4 where chords[lane] < search.named.squaredChord {
        search.named = Hit(
          index: child &* Self.blockSize &+ quad &* 4 &+ lane, isFollower: false, squaredChord: chords[lane])
        if chords[lane] < search.best.squaredChord { search.best = search.named }
      }
    }
    let end = Int(leaves[child &+ 1].quad)
    var follower = Int(leaf.follower)
    for quad in first &+ 2..<end {
      let chords = quads[quad].squaredChords(to: search.query)
      if Self.isAny(chords, below: search.best.squaredChord) {
        for lane in 0..<4 where chords[lane] < search.best.squaredChord {
          search.best = Hit(index: follower &+ lane, isFollower: true, squaredChord: chords[lane])
        }
      }
      follower &+= 4
    }
  }

  /// The nearest point, or follower if `followers`, that has the label, closer than `limit`; of points also only those
  /// that `isWanted` accepts.
  @inline(__always)
  func nearest(
    to query: SIMD3<Float>, closerThan limit: Float, label: UInt8, followers: Bool = false,
    where isWanted: (Int) -> Bool = { _ in true }
  ) -> Hit? {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.axesSize) { axes in
      var search = Search(query, axes, closerThan: limit)
      visit(
        level: levelStarts.count - 1, node: 0, distance: 0, &search, label: label, followers: followers, where: isWanted
      )
      return search.best.found
    }
  }

  private func visit(
    level: Int, node index: Int, distance: Float, _ search: inout Search, label: UInt8, followers: Bool,
    where isWanted: (Int) -> Bool
  ) {
    let node = nodes[levelStarts[level] + index]
    let axis = Int(node.axis)
    let offset = search.axes[Self.offsets + axis]
    let position = search.axes[axis]
    let bounds = SIMD2(max(offset, position - node.firstEnd), max(offset, node.secondStart - position))
    let rest = distance - offset * offset
    let nearer = position - node.firstEnd > node.secondStart - position ? 1 : 0
    for half in [nearer, 1 - nearer] {
      let bound = rest + bounds[half] * bounds[half]
      let own = half == 0 ? node.firstLabel : node.secondLabel
      guard bound < search.best.squaredChord, own == label || own == Self.mixed else { continue }
      search.axes[Self.offsets + axis] = bounds[half]
      let child = 2 * index + half
      if level > 0 {
        visit(
          level: level - 1, node: child, distance: bound, &search, label: label, followers: followers, where: isWanted)
      } else if child < leafCount {
        scan(leaf: child, &search, label: label, followers: followers, where: isWanted)
      }
    }
    search.axes[Self.offsets + axis] = offset
  }

  @inline(__always)
  private func scan(
    leaf: Int, _ search: inout Search, label: UInt8, followers: Bool, where isWanted: (Int) -> Bool
  ) {
    let first = Int(leaves[leaf].quad)
    let end = followers ? Int(leaves[leaf + 1].quad) : first + 2
    for quad in first..<end {
      let chords = quads[quad].squaredChords(to: search.query)
      guard Self.isAny(chords, below: search.best.squaredChord) else { continue }
      for lane in 0..<4 where chords[lane] < search.best.squaredChord && labels[quad][lane] == label {
        let isFollower = quad >= first + 2
        let index =
          isFollower
          ? Int(leaves[leaf].follower) + (quad - first - 2) * 4 + lane
          : leaf * Self.blockSize + (quad - first) * 4 + lane
        if isFollower || isWanted(index) {
          search.best = Hit(index: index, isFollower: isFollower, squaredChord: chords[lane])
        }
      }
    }
  }

  /// Whether any of four numbers is below a bound: by the sign of the differences, without a branch.
  @inline(__always)
  private static func isAny(_ values: SIMD4<Float>, below bound: Float) -> Bool {
    let signs = unsafeBitCast(values - bound, to: SIMD2<UInt64>.self)
    return (signs[0] | signs[1]) & 0x8000_0000_8000_0000 != 0
  }
}
