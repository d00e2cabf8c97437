/// A set of places 0..<capacity that gives back the lowest first: the ready steps of one queue, by rank.
///
/// A tree of bitmaps, 64 to a word: inserting and taking the lowest touch one word a level, three levels for a quarter
/// of a million steps, and allocate nothing. A heap would cost a dozen compares and moves for the same.
struct ReadySet: Sendable {
  private var words: [UInt64]
  /// Where each level begins in `words`, the finest first.
  private var levelStarts: [Int]
  private(set) var count = 0

  /// An empty set for places below `capacity`.
  init(capacity: Int) {
    levelStarts = [0]
    var total = 0
    var size = max(1, (capacity + 63) / 64)
    while true {
      total += size
      if size == 1 { break }
      levelStarts.append(total)
      size = (size + 63) / 64
    }
    words = [UInt64](repeating: 0, count: total)
  }

  var isEmpty: Bool { count == 0 }

  /// Adds a place that is not in the set.
  mutating func insert(_ place: Int) {
    count += 1
    var place = place
    for start in levelStarts {
      let word = start + place >> 6
      let before = words[word]
      words[word] = before | (1 << UInt64(place & 63))
      if before != 0 { return }
      place >>= 6
    }
  }

  /// Removes a place that is in the set.
  mutating func remove(_ place: Int) {
    count -= 1
    var place = place
    for start in levelStarts {
      let word = start + place >> 6
      words[word] &= ~(1 << UInt64(place & 63))
      if words[word] != 0 { return }
      place >>= 6
    }
  }

  /// The lowest place, or nil when the set is empty.
  var lowest: Int? {
    guard count > 0 else { return nil }
    var place = 0
    for start in levelStarts.reversed() {
      place = place << 6 + words[start + place].trailingZeroBitCount
    }
    return place
  }
}
