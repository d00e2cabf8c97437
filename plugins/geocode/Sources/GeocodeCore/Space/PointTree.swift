/// A tree that finds the nearest of many points. The points are stored in k-d order. A leaf is a block of sixteen
/// consecutive points, and each node has two leaves or two nodes. Loading builds nothing.
///
/// The result is exact for any order of the points; the order affects only the speed. Points are on the unit sphere,
/// and distances are squared chords (see `UnitVectors`). Every point has a label, such as its country. A search for one
/// label skips whole subtrees.
///
/// Each point has a number, such as that of its area, which determines its label. Coordinates are 16-bit multiples of a
/// step, relative to the corner of the leaf. A step is 38 cm, doubled until 65,536 steps span the leaf.
final class PointTree: Sendable {
  private static let blockSize = 16
  /// A squared chord that no distance exceeds. The antipode has 4.
  static let everywhere: Float = 5
  /// The label of a subtree whose points have more than one label.
  private static let mixed: UInt8 = 0xFE
  /// The number of points that a vector instruction processes at a time.
  private static let lanes = 4
  /// The number of columns of a leaf: x, y, z and the numbers of the points.
  private static let columns = 4

  /// A point found by a search.
  struct Hit {
    /// The number of the point, such as that of its area.
    var carried: UInt16
    /// The number of the point in stored order, or −1 if none was found.
    var place: Int
    /// The squared chord from the query to the point.
    var squaredChord: Float

    /// Returns the initial result of a search, before any point closer than `limit` has been found.
    fileprivate static func none(closerThan limit: Float) -> Hit {
      Hit(carried: 0, place: -1, squaredChord: min(limit, PointTree.everywhere))
    }
    fileprivate var found: Hit? { place < 0 ? nil : self }
  }

  /// A block of sixteen points, stored relative to a corner.
  private struct Leaf: BitwiseCopyable, Sendable {
    var x: Float
    var y: Float
    var z: Float
    /// The lower 24 bits contain the number of the first point. The upper eight contain the number of times that the
    /// step is doubled.
    var bits: UInt32

    @inline(__always) var first: Int { Int(bits & 0xFF_FFFF) }
    @inline(__always) var corner: SIMD3<Float> { SIMD3(x, y, z) }
    /// The distance between adjacent coordinates, at least 2⁻²⁴.
    @inline(__always) var step: Float { Float(bitPattern: (127 - 24 + bits >> 24) << 23) }
  }

  /// Two subtrees and the gap between them on one axis. The gap extends from the end of the first to the start of the
  /// second.
  private struct PointNode: BitwiseCopyable, Sendable {
    var firstEnd: Float
    var secondStart: Float
    var axis: UInt8
    var firstLabel: UInt8
    var secondLabel: UInt8
    private var padding: UInt8
  }

  /// The sections of the index that contain a tree.
  struct Sections {
    var leaves: TableIndex.Section
    var nodes: TableIndex.Section
    var points: TableIndex.Section
  }

  /// The number of points in the tree.
  let count: Int
  /// The label for each number of a point, or nil if the number itself is the label.
  private let labels: MappedArray<UInt8>?
  private let index: TableIndex
  private let leafCount: Int
  /// The index of the first node on each level. The children of level 0 are leaves, and the last level is the root.
  private let levelStarts: [Int]
  private let leaves: MappedArray<Leaf>
  private let nodes: MappedArray<PointNode>
  private let points: MappedArray<UInt16>

  /// - Parameters:
  ///   - count: the number of points.
  ///   - labels: the label for each number that a point may have.
  /// - Throws: `TableError.corrupt` if the size of a section does not match the number of points.
  init(
    _ index: TableIndex, _ sections: Sections, count: Int, labels: MappedArray<UInt8>? = nil
  ) throws(TableError) {
    self.index = index
    self.count = count
    self.labels = labels
    leafCount = (count + Self.blockSize - 1) / Self.blockSize
    leaves = try index.array(sections.leaves, of: Leaf.self, count: leafCount + 1)
    points = try index.array(sections.points, of: UInt16.self, count: Self.columns * count)

    var starts: [Int] = []
    var total = 0
    var children = leafCount
    repeat {
      children = (children + 1) / 2
      starts.append(total)
      total += children
    } while children > 1
    levelStarts = starts
    nodes = try index.array(sections.nodes, of: PointNode.self, count: total)
  }

  /// Returns the number of a point, such as that of its area.
  @inline(__always)
  func carried(byPlace place: Int) -> UInt16 { columns(ofLeaf: place / Self.blockSize).carried(place % Self.blockSize) }

  @inline(__always)
  private func label(_ carried: UInt16) -> UInt8 {
    labels.map { $0[Int(carried)] } ?? UInt8(truncatingIfNeeded: carried)
  }

  /// The points of a leaf, column by column.
  private struct Columns {
    var base: UnsafePointer<UInt16>
    var count: Int
    /// The query relative to the leaf's corner, in steps.
    var query = SIMD3<Float>.zero

    @inline(__always)
    func carried(_ point: Int) -> UInt16 { base[3 &* count &+ point] }

    /// Returns the squared chords from the query to four points, in squared steps. Reading beyond the last point is
    /// safe, because the fourth column follows.
    @inline(__always)
    func squaredChords(_ first: Int) -> SIMD4<Float> {
      @inline(__always)
      func four(_ column: Int) -> SIMD4<Float> {
        let steps = UnsafeRawPointer(base + (column &* count &+ first)).loadUnaligned(as: SIMD4<UInt16>.self)
        return SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: steps))
      }
      let dx = four(0) - query.x
      let dy = four(1) - query.y
      let dz = four(2) - query.z
      return dx * dx + dy * dy + dz * dz
    }
  }

  @inline(__always)
  private func columns(ofLeaf leaf: Int) -> Columns {
    let first = leaves[leaf].first
    let end = leaves[leaf &+ 1].first
    precondition(first <= end && end <= count)
    return Columns(base: points.base + Self.columns &* first, count: end &- first)
  }

  /// The state of a search.
  private struct Search {
    let query: SIMD3<Float>
    /// The three coordinates of the query, followed by the query's offsets from the current cell on each axis. Separate
    /// memory is used because indexing a vector is slower.
    let axes: UnsafeMutablePointer<Float>
    /// The nearest point found so far.
    var best: Hit

    @inline(__always)
    init(_ query: SIMD3<Float>, _ axes: UnsafeMutableBufferPointer<Float>, closerThan limit: Float) {
      self.query = query
      self.axes = axes.baseAddress!
      for axis in 0..<3 {
        self.axes[axis] = query[axis]
        self.axes[PointTree.offsets + axis] = 0
      }
      best = .none(closerThan: limit)
    }
  }

  /// The index in `Search.axes` of the first offset.
  private static let offsets = 3
  private static let axesSize = 6

  /// Returns the nearest point whose squared chord is less than `limit`, or nil if there is none.
  @inline(__always)
  func nearest(to query: SIMD3<Float>, closerThan limit: Float = everywhere) -> Hit? {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.axesSize) { axes in
      var search = Search(query, axes, closerThan: limit)
      visit(level: levelStarts.count - 1, node: 0, distance: 0, &search)
      return search.best.found
    }
  }

  private func visit(level: Int, node index: Int, distance: Float, _ search: inout Search) {
    let node = nodes[levelStarts[level] &+ index]
    let axis = Int(node.axis)
    let offset = search.axes[Self.offsets + axis]
    let position = search.axes[axis]
    let toFirst = position - node.firstEnd
    let toSecond = node.secondStart - position
    let rest = distance - offset * offset
    // Written so that the compiler uses minimum and maximum instructions, which avoid branches.
    let isSecondNearer = toFirst > toSecond
    let nearest = toSecond < toFirst ? toSecond : toFirst
    let farthest = toSecond > toFirst ? toSecond : toFirst
    let near = nearest > offset ? nearest : offset
    let far = farthest > offset ? farthest : offset
    let child = 2 &* index
    let nearChild = child &+ (isSecondNearer ? 1 : 0)

    let nearDistance = rest + near * near
    if nearDistance < search.best.squaredChord {
      search.axes[Self.offsets + axis] = near
      descend(level: level, nearChild, distance: nearDistance, &search)
    }
    let farDistance = rest + far * far
    if farDistance < search.best.squaredChord {
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
    var columns = columns(ofLeaf: child)
    // The factor is a power of two, so the multiplication is exact.
    let scale = 1 / leaf.step
    columns.query = (search.query - leaf.corner) * scale
    let area = leaf.step * leaf.step
    let places = child &* Self.blockSize
    let end = columns.count
    var best = search.best.squaredChord * (scale * scale)
    var point = 0
    while point < end {
      let chords = columns.squaredChords(point)
      if Self.isAny(chords, below: best) {
        // Lanes beyond the end of the leaf contain no points.
        for lane in 0..<Self.lanes where chords[lane] < best && point &+ lane < end {
          best = chords[lane]
          search.best = Hit(
            carried: columns.carried(point &+ lane), place: places &+ point &+ lane, squaredChord: best * area)
        }
      }
      point &+= Self.lanes
    }
  }

  /// Returns the nearest point with this label that satisfies `isWanted` and whose squared chord is less than `limit`,
  /// or nil if there is none.
  @inline(__always)
  func nearest(
    to query: SIMD3<Float>, closerThan limit: Float, label: UInt8,
    where isWanted: (Int) -> Bool = { _ in true }
  ) -> Hit? {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.axesSize) { axes in
      var search = Search(query, axes, closerThan: limit)
      visit(
        level: levelStarts.count - 1, node: 0, distance: 0, &search, label: label, where: isWanted
      )
      return search.best.found
    }
  }

  private func visit(
    level: Int, node index: Int, distance: Float, _ search: inout Search, label: UInt8,
    where isWanted: (Int) -> Bool
  ) {
    let node = nodes[levelStarts[level] + index]
    let axis = Int(node.axis)
    let offset = search.axes[Self.offsets + axis]
    let position = search.axes[axis]
    let toFirst = position - node.firstEnd
    let toSecond = node.secondStart - position
    let rest = distance - offset * offset
    let nearer = toFirst > toSecond ? 1 : 0
    for half in [nearer, 1 - nearer] {
      let gap = half == 0 ? toFirst : toSecond
      let reach = gap > offset ? gap : offset
      let bound = rest + reach * reach
      let own = half == 0 ? node.firstLabel : node.secondLabel
      guard bound < search.best.squaredChord, own == label || own == Self.mixed else { continue }
      search.axes[Self.offsets + axis] = reach
      let child = 2 * index + half
      if level > 0 {
        visit(
          level: level - 1, node: child, distance: bound, &search, label: label, where: isWanted)
      } else if child < leafCount {
        scan(leaf: child, &search, label: label, where: isWanted)
      }
    }
    search.axes[Self.offsets + axis] = offset
  }

  @inline(__always)
  private func scan(
    leaf: Int, _ search: inout Search, label: UInt8, where isWanted: (Int) -> Bool
  ) {
    let step = leaves[leaf].step
    var columns = columns(ofLeaf: leaf)
    columns.query = (search.query - leaves[leaf].corner) * (1 / step)
    let places = leaf * Self.blockSize
    let end = columns.count
    var best = search.best.squaredChord / (step * step)
    for first in stride(from: 0, to: end, by: Self.lanes) {
      let chords = columns.squaredChords(first)
      guard Self.isAny(chords, below: best) else { continue }
      for lane in 0..<Self.lanes where chords[lane] < best && first + lane < end {
        let point = first + lane
        let carried = columns.carried(point)
        guard self.label(carried) == label, isWanted(places + point) else { continue }
        best = chords[lane]
        search.best = Hit(carried: carried, place: places + point, squaredChord: best * step * step)
      }
    }
  }

  /// True if any of four numbers is below a bound. Avoids branches by testing the signs of the differences.
  @inline(__always)
  private static func isAny(_ values: SIMD4<Float>, below bound: Float) -> Bool {
    // Proof of safety: `SIMD4<Float>` and `SIMD2<UInt64>` are 16 bytes, of which every bit pattern is a value.
    let signs = unsafeBitCast(values - bound, to: SIMD2<UInt64>.self)
    return (signs[0] | signs[1]) & 0x8000_0000_8000_0000 != 0
  }
}
