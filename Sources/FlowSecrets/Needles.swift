/// The texts that are searched for, in sorted order.
struct Needles: Sendable {
  /// All texts, one after the other.
  let bytes: [UInt8]
  /// The range of each text in ``bytes``.
  private let ranges: [Range<Int32>]
  /// For each text, the start in ``bytes`` of the whole text of which it is a suffix.
  private let starts: [Int32]
  let firstBytes: ByteSet

  /// Creates needles from texts. Duplicates are removed.
  init(_ texts: [[UInt8]]) {
    let texts = Set(texts).sorted { $0.lexicographicallyPrecedes($1) }
    var ranges: [Range<Int32>] = []
    for text in texts {
      let start = ranges.last?.upperBound ?? 0
      ranges.append(start..<start + Int32(text.count))
    }
    bytes = texts.flatMap { $0 }
    self.ranges = ranges
    starts = ranges.map(\.lowerBound)
    firstBytes = ByteSet(texts.lazy.map { $0[0] })
  }

  /// Creates the sorted suffixes of whole texts.
  ///
  /// They are sorted by prefix doubling (Manber and Myers, 1990): the order by the first n bytes determines the order
  /// by the first 2n bytes.
  init(endsOf whole: Needles) {
    let bytes = whole.bytes
    let ends = whole.ranges.flatMap { range in repeatElement(range.upperBound, count: range.count) }
    let longest = whole.ranges.lazy.map(\.count).max() ?? 0
    var order = bytes.indices.map(Int32.init)
    // Sort by the first three bytes. 0 stands for the end of a text.
    var sorted = 3
    var ranks = bytes.indices.map { index in
      (index..<index + 3).reduce(0) { $0 << 9 | ($1 < Int(ends[index]) ? UInt64(bytes[$1]) + 1 : 0) }
    }
    while true {
      order.sort { ranks[Int($0)] < ranks[Int($1)] }
      var next = ranks
      var rank: UInt64 = 0
      for (place, index) in order.enumerated() {
        if place == 0 || ranks[Int(index)] != ranks[Int(order[place - 1])] { rank += 1 }
        next[Int(index)] = rank
      }
      if rank == bytes.count || sorted >= longest { break }
      for index in bytes.indices {
        let rest = index + sorted
        ranks[index] = next[index] << 32 | (rest < Int(ends[index]) ? next[rest] : 0)
      }
      sorted *= 2
    }
    self.bytes = bytes
    ranges = order.map { $0..<ends[Int($0)] }
    let starts = whole.ranges.flatMap { range in repeatElement(range.lowerBound, count: range.count) }
    self.starts = order.map { starts[Int($0)] }
    firstBytes = ByteSet(bytes)
  }

  var count: Int { ranges.count }

  /// Returns the number of bytes in the text at `index`.
  func length(_ index: Int) -> Int { ranges[index].count }

  func byte(_ offset: Int, of index: Int) -> UInt8 { bytes[Int(ranges[index].lowerBound) + offset] }

  /// Returns the index in ``bytes`` of a byte in a text.
  func place(_ offset: Int, of index: Int) -> Int { Int(ranges[index].lowerBound) + offset }

  /// Returns the whole text of which a text is a suffix.
  func whole(_ index: Int) -> ArraySlice<UInt8> { bytes[Int(starts[index])..<Int(ranges[index].upperBound)] }
}
