import FlowBytes

/// The names for which typos are tolerated: Latin names of places with at least 15,000 inhabitants, of regions and of
/// countries.
///
/// Names of up to five bytes are split into two pieces, longer ones into three. At least one piece stays unchanged by
/// the allowed one or two typos. A lookup therefore compares only names that have a piece in common with the query at
/// nearly the same position. Names of equal length are stored together. `layout.py` describes the layout.
struct TypoTable: Sendable {
  /// A name that differs from the query only in typos.
  struct Hit {
    /// The number of the name in this table.
    var name: Int
    /// The number of letters omitted, inserted, changed or swapped with the next one.
    var edits: Int
    /// The weight of the most important record with this name: ten times the logarithm of its population.
    var weight: UInt8
  }

  private static let shortest = 3
  private static let longest = 24
  /// The maximum length in bytes of names with one allowed typo. Longer names may have two.
  private static let oneEditLength = 5
  private static let bucketCount: UInt32 = 1 << 15
  /// The maximum number of names that a lookup returns.
  static let hitLimit = 24

  /// For each length, the number of its first name and the name's offset. One more element marks the end.
  private let lengths: MappedArray<SIMD2<UInt32>>
  private let keys: MappedArray<UInt8>
  private let weights: MappedArray<UInt8>
  private let buckets: MappedArray<UInt32>
  private let numbers: MappedArray<UInt16>

  init(_ index: TableIndex) throws(TableError) {
    lengths = try index.array(
      .typoLengths, of: SIMD2<UInt32>.self, count: Self.longest - Self.shortest + 2)
    keys = try index.array(.typoKeys, of: UInt8.self, count: Int(lengths[lengths.count - 1].y))
    weights = try index.array(.typoWeights, of: UInt8.self, count: Int(lengths[lengths.count - 1].x))
    buckets = try index.array(.typoBuckets, of: UInt32.self, count: Int(Self.bucketCount) + 1)
    numbers = try index.array(.typoNumbers, of: UInt16.self, count: Int(buckets[buckets.count - 1]))
  }

  /// Returns the number of typos allowed in a name of `length` bytes.
  private static func allowedEdits(_ length: Int) -> Int { length <= oneEditLength ? 1 : 2 }

  /// Returns up to ``hitLimit`` names that differ from the key only in typos, the most similar and most important
  /// first. Returns an empty array if the key is not ASCII, or is shorter or longer than the table allows.
  func namesLike(_ key: FoldedName) -> [Hit] {
    let length = key.count
    guard length >= Self.shortest, length <= Self.longest, let pattern = TypoPattern(key) else { return [] }
    var hits: [Hit] = []
    let reach = Self.allowedEdits(length)
    for other in max(Self.shortest, length - reach)...min(Self.longest, length + reach) {
      let edits = Self.allowedEdits(min(length, other))
      guard abs(length - other) <= edits else { continue }
      collect(key, pattern, other, edits, &hits)
    }
    hits.sort { ($0.edits, $1.weight, $0.name) < ($1.edits, $0.weight, $1.name) }
    return hits
  }

  /// Adds the similar names of one length to `hits`.
  private func collect(_ key: FoldedName, _ pattern: TypoPattern, _ length: Int, _ edits: Int, _ hits: inout [Hit]) {
    let pieces = length <= Self.oneEditLength ? 2 : 3
    let shift = key.count - length
    for piece in 0..<pieces {
      let start = piece * length / pieces
      let size = (piece + 1) * length / pieces - start
      // Typos before a piece can shift it by at most the number of pieces before it, and typos after it by at most the
      // number of pieces after it.
      let behind = pieces - 1 - piece
      let first = max(0, start - piece, start + shift - behind)
      let last = min(key.count - size, start + piece, start + shift + behind)
      guard first <= last else { continue }
      for position in first...last {
        lookUp(length, Self.sum(length, piece, key, from: position, size, swapping: nil), pattern, edits, &hits)
      }
    }
    // Swapping the two letters at the boundary between the pieces of a short name changes both pieces.
    if pieces == 2, shift == 0 {
      let cut = length / 2
      lookUp(length, Self.sum(length, 0, key, from: 0, cut, swapping: cut - 1), pattern, edits, &hits)
    }
  }

  private func lookUp(_ length: Int, _ sum: UInt32, _ pattern: TypoPattern, _ edits: Int, _ hits: inout [Hit]) {
    let bucket = Int(sum % Self.bucketCount)
    let own = lengths[length - Self.shortest]
    let end = lengths[length - Self.shortest + 1].x
    for position in Int(buckets[bucket])..<Int(buckets[bucket + 1]) {
      let name = UInt32(numbers[position])
      guard name >= own.x, name < end else { continue }
      let start = Int(own.y) + Int(name - own.x) * length
      precondition(start + length <= keys.count)
      let distance = pattern.distance(UnsafeBufferPointer(start: keys.base + start, count: length))
      guard distance > 0, distance <= edits else { continue }
      keep(Hit(name: Int(name), edits: distance, weight: weights[Int(name)]), &hits)
    }
  }

  /// Adds a hit unless its name already has one. If the list is full, a hit that is better than the worst one replaces
  /// it.
  private func keep(_ hit: Hit, _ hits: inout [Hit]) {
    guard !hits.contains(where: { $0.name == hit.name }) else { return }
    if hits.count < Self.hitLimit { return hits.append(hit) }
    let worst = hits.indices.max { (hits[$0].edits, hits[$1].weight) < (hits[$1].edits, hits[$0].weight) }!
    if (hit.edits, hits[worst].weight) < (hits[worst].edits, hit.weight) { hits[worst] = hit }
  }

  func bytes(ofName name: Int) -> UnsafeRawBufferPointer {
    let number = UInt32(name)
    let place = (0..<lengths.count - 1).last { lengths[$0].x <= number }!
    let length = place + Self.shortest
    let start = Int(lengths[place].y) + Int(number - lengths[place].x) * length
    return UnsafeRawBufferPointer(start: keys.base + start, count: length)
  }

  /// Returns the FNV-1a hash of a piece, optionally with one letter and the next one swapped. The script that creates
  /// the tables computes the same value.
  private static func sum(
    _ length: Int, _ piece: Int, _ key: FoldedName, from start: Int, _ size: Int, swapping swapped: Int?
  ) -> UInt32 {
    var hash = FNV1a32()
    hash.add(UInt8(length << 2 | piece))
    for index in start..<start + size { hash.add(key[index == swapped ? index + 1 : index]) }
    return hash.value ^ hash.value >> 15
  }
}

/// A name as bit masks with one bit per position. They reduce the distance to another name to a few operations per
/// letter (Hyyrö's algorithm for optimal string alignment).
struct TypoPattern {
  /// The positions of each letter and digit in the name, as bit masks indexed by character code.
  private let positions: [UInt32]
  private let length: Int

  /// Creates a pattern. Returns nil if the name is empty, longer than 32 bytes or not ASCII.
  init?(_ name: FoldedName) {
    guard name.count > 0, name.count <= 32 else { return nil }
    var positions = [UInt32](repeating: 0, count: 128)
    for index in 0..<name.count {
      guard name[index] < 128 else { return nil }
      positions[Int(name[index])] |= 1 << UInt32(index)
    }
    self.positions = positions
    length = name.count
  }

  /// Returns the number of letters that must be omitted, inserted, changed or swapped with the next one to turn this
  /// name into `other`.
  func distance(_ other: UnsafeBufferPointer<UInt8>) -> Int {
    var (vertical, verticalLess): (UInt32, UInt32) = (.max, 0)
    var (diagonal, before): (UInt32, UInt32) = (0, 0)
    var distance = length
    let last: UInt32 = 1 << UInt32(length - 1)
    for letter in other {
      let same = positions[Int(letter & 127)]
      let swapped = ((~diagonal & same) << 1) & before
      diagonal = (((same & vertical) &+ vertical) ^ vertical) | same | verticalLess | swapped
      var horizontal = verticalLess | ~(diagonal | vertical)
      let horizontalLess = diagonal & vertical
      if horizontal & last != 0 { distance += 1 }
      if horizontalLess & last != 0 { distance -= 1 }
      horizontal = horizontal << 1 | 1
      vertical = horizontalLess << 1 | ~(diagonal | horizontal)
      verticalLess = horizontal & diagonal
      before = same
    }
    return distance
  }
}
