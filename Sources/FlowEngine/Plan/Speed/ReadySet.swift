/// The ready steps of a queue, as a set of positions that returns the lowest first.
///
/// The set is a tree of bitmaps with 64 positions per word and 64 words per word of the next level, so three levels
/// suffice for 250,000 steps. The word with the lowest positions, the front, is stored separately, and most changes
/// touch only it. No change allocates memory. A heap would take a dozen compares and moves.
///
/// Proof of safety: the words belong to the ``StepTables`` that created the set with ``init(capacity:)``. The tables
/// copy them with ``copied()``, and free them with ``deallocate()`` when they are freed.
/// Positions are below the capacity for which the words were created.
struct ReadySet: @unchecked Sendable {
  /// The bits of the front word, or 0 if the set is empty.
  private var front: UInt64 = 0
  /// The index of the front word on the finest level. In `words`, this word and its bits in coarser levels are 0.
  private var frontWord = 0
  private(set) var count = 0
  /// The levels, finest first, or nil for a set that can contain no position.
  private let storage: UnsafeMutablePointer<UInt64>?
  private let wordCount: Int
  /// The indices in `words` at which the second, third and fourth level begin, or 0 if there is no such level.
  private let starts: (second: Int, third: Int, fourth: Int)

  /// Creates a set that can contain no position.
  init() {
    storage = nil
    wordCount = 0
    starts = (0, 0, 0)
  }

  /// Creates an empty set for positions below `capacity`, at most 64⁴.
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
    wordCount = total
    let words = UnsafeMutablePointer<UInt64>.allocate(capacity: total)
    words.initialize(repeating: 0, count: total)
    storage = words
  }

  private init(_ other: ReadySet, storage: UnsafeMutablePointer<UInt64>) {
    self.storage = storage
    wordCount = other.wordCount
    starts = other.starts
    (front, frontWord, count) = (other.front, other.frontWord, other.count)
  }

  func copied() -> ReadySet {
    guard let storage else { return self }
    let words = UnsafeMutablePointer<UInt64>.allocate(capacity: wordCount)
    words.initialize(from: storage, count: wordCount)
    return ReadySet(self, storage: words)
  }

  func deallocate() { storage?.deallocate() }

  private var words: UnsafeMutablePointer<UInt64> { storage.unsafelyUnwrapped }

  var isEmpty: Bool { front == 0 }

  @inline(__always)
  var lowest: Int? { front == 0 ? nil : frontWord << 6 &+ front.trailingZeroBitCount }

  /// Adds a position, which must not be in the set.
  @inline(__always)
  mutating func insert(_ position: Int) {
    count &+= 1
    let word = position >> 6
    if word == frontWord {
      front |= Self.bit(position)
    } else if word > frontWord && front != 0 {
      set(position)
    } else {
      replaceFront(by: position)
    }
  }

  /// Removes a position, which must be in the set.
  mutating func remove(_ position: Int) {
    count &-= 1
    if position >> 6 == frontWord {
      front &= ~Self.bit(position)
      if front == 0 { refill() }
    } else if clear(Self.bit(position), from: position >> 6, level: 0) {
      clearCoarser(position >> 6)
    }
  }

  /// Removes and returns the lowest position. The set must not be empty.
  @inline(__always)
  mutating func removeLowest() -> Int {
    let lowest = frontWord << 6 &+ front.trailingZeroBitCount
    front &= front &- 1
    count &-= 1
    if front == 0 { refill() }
    return lowest
  }

  /// Makes the word that contains `position` the front. The current front must be empty or have higher positions.
  @inline(never)
  private mutating func replaceFront(by position: Int) {
    if front != 0 {
      words[frontWord] = front
      setCoarser(frontWord)
    }
    frontWord = position >> 6
    front = Self.bit(position)
  }

  /// Makes the lowest non-empty word the front, after the previous front has become empty.
  @inline(never)
  private mutating func refill() {
    guard count > 0 else { return }
    var word = 0
    if starts.fourth != 0 { word = words[starts.fourth + word].trailingZeroBitCount }
    if starts.third != 0 { word = word << 6 + words[starts.third + word].trailingZeroBitCount }
    if starts.second != 0 { word = word << 6 + words[starts.second + word].trailingZeroBitCount }
    frontWord = word
    front = words[word]
    words[word] = 0
    clearCoarser(word)
  }

  @inline(__always)
  private func set(_ position: Int) {
    // Other positions of the word are usually set, so that the coarser levels need no change.
    let word = words + position >> 6
    let before = word.pointee
    word.pointee = before | Self.bit(position)
    if before == 0 { setCoarser(position >> 6) }
  }

  /// Sets the bits that represent a word in the coarser levels, after the word's first bit was set.
  @inline(never)
  private func setCoarser(_ word: Int) {
    if starts.second == 0 || add(word, starts.second) || starts.third == 0 { return }
    if add(word >> 6, starts.third) || starts.fourth == 0 { return }
    _ = add(word >> 12, starts.fourth)
  }

  /// Clears the bits that represent a word in the coarser levels, after the word's last bit was cleared.
  @inline(never)
  private func clearCoarser(_ word: Int) {
    if starts.second == 0 || !clear(Self.bit(word), from: word >> 6, level: starts.second) || starts.third == 0 {
      return
    }
    if !clear(Self.bit(word >> 6), from: word >> 12, level: starts.third) || starts.fourth == 0 { return }
    _ = clear(Self.bit(word >> 12), from: word >> 18, level: starts.fourth)
  }

  /// Sets a bit. Returns true if its word had other bits before.
  private func add(_ position: Int, _ level: Int) -> Bool {
    let before = words[level + position >> 6]
    words[level + position >> 6] = before | Self.bit(position)
    return before != 0
  }

  /// Clears a bit. Returns true if its word is 0 now.
  private func clear(_ bit: UInt64, from word: Int, level: Int) -> Bool {
    words[level + word] &= ~bit
    return words[level + word] == 0
  }

  @inline(__always)
  private static func bit(_ position: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: position) }
}
