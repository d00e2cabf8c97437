/// A set of places 0..<capacity that gives back the lowest first: the ready steps of one queue, by rank.
///
/// The lowest is kept by itself: where one step follows another it comes and goes without touching anything else. The
/// others stand in a tree of bitmaps, 64 to a word: inserting and taking the lowest touch one word a level, three levels
/// for a quarter of a million steps, and allocate nothing. A heap would cost a dozen compares and moves for the same.
struct ReadySet: Sendable {
  /// Levels one after the other, the finest first.
  private var words: [UInt64]
  /// Where the second, third and fourth level begin in `words`; 0 where there is none.
  private let starts: (second: Int, third: Int, fourth: Int)
  /// The lowest member, which is not in `words`; `none` when the set is empty.
  private var first = none
  private(set) var count = 0

  private static let none = Int.max

  /// An empty set for places below `capacity`, at most 64⁴.
  init(capacity: Int) {
    precondition(capacity <= 1 << 24, "a queue of more than 16 million steps")
    var begins: [Int] = []
    var total = 0
    var size = max(1, (capacity + 63) / 64)
    while true {
      begins.append(total)
      total += size
      if size == 1 { break }
      size = (size + 63) / 64
    }
    begins += [0, 0, 0]
    starts = (begins[1], begins[2], begins[3])
    words = [UInt64](repeating: 0, count: total)
  }

  var isEmpty: Bool { count == 0 }

  /// The lowest place, or nil when the set is empty.
  var lowest: Int? { first == Self.none ? nil : first }

  /// Adds a place that is not in the set.
  mutating func insert(_ place: Int) {
    count += 1
    if place > first {
      set(place)
    } else {
      if first != Self.none { set(first) }
      first = place
    }
  }

  /// Removes a place that is in the set.
  mutating func remove(_ place: Int) {
    if place == first {
      _ = removeLowest()
    } else {
      count -= 1
      clear(place)
    }
  }

  /// Removes the lowest place; the set must not be empty.
  mutating func removeLowest() -> Int {
    let lowest = first
    count -= 1
    if count == 0 {
      first = Self.none
    } else {
      first = lowestInWords(from: lowest)
      clear(first)
    }
    return lowest
  }

  private mutating func set(_ place: Int) {
    words.withUnsafeMutableBufferPointer { words in
      func add(_ place: Int, _ start: Int) -> Bool {
        let word = start + place >> 6
        let before = words[word]
        words[word] = before | (1 << UInt64(place & 63))
        return before != 0
      }
      if add(place, 0) || starts.second == 0 { return }
      if add(place >> 6, starts.second) || starts.third == 0 { return }
      if add(place >> 12, starts.third) || starts.fourth == 0 { return }
      _ = add(place >> 18, starts.fourth)
    }
  }

  private mutating func clear(_ place: Int) {
    words.withUnsafeMutableBufferPointer { words in
      func take(_ place: Int, _ start: Int) -> Bool {
        let word = start + place >> 6
        words[word] &= ~(1 << UInt64(place & 63))
        return words[word] != 0
      }
      if take(place, 0) || starts.second == 0 { return }
      if take(place >> 6, starts.second) || starts.third == 0 { return }
      if take(place >> 12, starts.third) || starts.fourth == 0 { return }
      _ = take(place >> 18, starts.fourth)
    }
  }

  /// The lowest place in `words`, which hold at least one and none below `bound`.
  private func lowestInWords(from bound: Int) -> Int {
    words.withUnsafeBufferPointer { words in
      func next(_ place: Int, _ start: Int) -> Int { place << 6 + words[start + place].trailingZeroBitCount }
      // Most often the next one stands in the same word.
      if words[bound >> 6] != 0 { return next(bound >> 6, 0) }
      var place = 0
      if starts.fourth != 0 { place = next(place, starts.fourth) }
      if starts.third != 0 { place = next(place, starts.third) }
      if starts.second != 0 { place = next(place, starts.second) }
      return next(place, 0)
    }
  }
}
