/// Finds the bytes of a text where a secret may start. The time that this takes hardly depends on the text.
///
/// A deterministic automaton follows all walks (``SecretWalks``) from all bytes at the same time. Its state is the list
/// of active walks with their lengths. So it needs one table lookup per byte, whatever the text is. Each lookup depends
/// on the previous one, so four parts of the text are read alternately.
struct SecretScan: Sendable {
  /// The length at which a walk is reported and no longer followed. A larger value would require more states. A smaller
  /// one would report more bytes where no secret starts.
  private static let reportedBytes = 12
  /// The maximum number of states. Their table then has 4 MiB.
  private static let mostStates = 16_000
  private static let root = 0
  private static let unknown: Int16 = -1

  /// A walk that is still being followed.
  private struct Walk: Hashable {
    var state: Int16
    var length: Int16
  }

  /// The walks that are reported at a byte, because they end there or have reached the maximum length.
  private struct Report {
    var next: Int16
    /// The lengths of the reported walks, with one bit for each length.
    var lengths: UInt32
    /// The state of the longest walk that is reported without having ended, or the root if there is none.
    var walk: Int16
  }

  /// A byte of a text where a secret may start.
  struct Start {
    var index: Int
    /// The number of bytes that have already been read from there. `walk` is the state after them.
    var length: Int
    var walk: Int
  }

  var walks: SecretWalks
  private var states: [[Walk]] = [[]]
  private var numbers: [[Walk]: Int] = [[]: root]
  /// For each state and class of bytes: the next state, `-2 - index` for a report, or ``unknown``.
  private var rows: [Int16] = []
  private var reports: [Report] = []

  init(_ needles: Needles, encodings: Int) { walks = SecretWalks(needles, encodings: encodings) }

  private var isFull: Bool { max(states.count, reports.count) >= Self.mostStates || walks.isFull }

  private mutating func removeAll() {
    walks.removeAll()
    (states, numbers, reports) = ([[]], [[]: Self.root], [])
    rows = Array(repeating: Self.unknown, count: 1 << walks.classBits)
  }

  /// Returns the bytes where a secret may start, in order.
  ///
  /// - Parameter isCut: True if the text was cut off, so that a secret may continue after its end.
  mutating func starts(in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool) -> [Start] {
    // The table is created only now, because most masks never search a text.
    if rows.isEmpty || isFull { removeAll() }
    var parts = Parts(of: bytes, overlap: Self.reportedBytes)
    while true {
      withTable { parts.skip($0, in: bytes) }
      if parts.isAtEnd { break }
      makeRoom(&parts)
      for part in parts.unread { step(part, &parts, bytes) }
      parts.offset += 1
    }
    if isCut {
      for walk in states[parts.states[Parts.count - 1]] {
        parts.starts.append(Start(index: bytes.count - Int(walk.length), length: 0, walk: SecretWalks.root))
      }
    }
    return parts.orderedStarts
  }

  private func withTable(_ body: (Table) -> Void) {
    rows.withUnsafeBufferPointer { rows in
      walks.classes.withUnsafeBufferPointer { body(Table(rows: rows, classes: $0, classBits: walks.classBits)) }
    }
  }

  /// Removes all states if there are too many. The bytes of active walks are then read again.
  private mutating func makeRoom(_ parts: inout Parts) {
    // A minimum distance between two resets ensures progress, however many states the bytes require.
    guard isFull, parts.offset > parts.resetOffset + Self.reportedBytes else { return }
    removeAll()
    parts.reset(before: Self.reportedBytes)
  }

  /// Returns the index in ``rows`` of the entry for a state and a byte.
  private func index(_ state: Int, _ byte: UInt8) -> Int { state << walks.classBits | Int(walks.classes[Int(byte)]) }

  /// Reads one byte of a part and records the starts of the walks that are reported there.
  private mutating func step(_ part: Int, _ parts: inout Parts, _ bytes: UnsafeBufferPointer<UInt8>) {
    let index = parts.index(of: part)
    var entry = rows[self.index(parts.states[part], bytes[index])]
    if entry == Self.unknown { entry = follow(parts.states[part], bytes[index]) }
    if entry >= 0 {
      parts.states[part] = Int(entry)
      return
    }
    let report = reports[-2 - Int(entry)]
    parts.states[part] = Int(report.next)
    var lengths = report.lengths
    while lengths != 0 {
      let length = lengths.trailingZeroBitCount
      let start = index + 1 - length
      if parts.range(of: part).contains(start) {
        let isOpen = length == Self.reportedBytes && report.walk != SecretWalks.root
        parts.starts.append(
          Start(index: start, length: isOpen ? length : 0, walk: isOpen ? Int(report.walk) : SecretWalks.root))
      }
      lengths &= lengths - 1
    }
  }

  /// Creates the table entry for a state and a byte.
  private mutating func follow(_ state: Int, _ byte: UInt8) -> Int16 {
    var next: [Walk] = []
    var lengths: UInt32 = 0
    var open = SecretWalks.root
    for walk in states[state] + [Walk(state: Int16(SecretWalks.root), length: 0)] {
      let (after, isEnd) = walks.step(Int(walk.state), byte)
      if after == SecretWalks.root { continue }
      let length = Int(walk.length) + 1
      if isEnd || length == Self.reportedBytes {
        lengths |= 1 << UInt32(length)
        if !isEnd { open = after }
      } else {
        next.append(Walk(state: Int16(after), length: Int16(length)))
      }
    }
    var entry = Int16(number(of: next))
    if lengths != 0 {
      reports.append(Report(next: entry, lengths: lengths, walk: Int16(open)))
      entry = Int16(-1 - reports.count)
    }
    rows[index(state, byte)] = entry
    return entry
  }

  private mutating func number(of state: [Walk]) -> Int {
    if let number = numbers[state] { return number }
    let number = states.count
    numbers[state] = number
    states.append(state)
    rows += repeatElement(Self.unknown, count: 1 << walks.classBits)
    return number
  }
}

/// Unsafe views of the automaton's transition table, valid during a scan.
private struct Table {
  var rows: UnsafeBufferPointer<Int16>
  var classes: UnsafeBufferPointer<UInt8>
  var classBits: Int

  subscript(state: Int, byte: UInt8) -> Int { Int(rows[state << classBits | Int(classes[Int(byte)])]) }
}

/// The parts of a text that are read alternately. They overlap, so that a walk that starts at the end of a part can be
/// completed.
private struct Parts {
  static let count = 4

  /// The state of the automaton in each part.
  var states = SIMD4<Int>()
  /// The number of bytes that have been read in each part.
  var offset = 0
  /// The number of bytes that are read alternately in each part. The last part may have a few more, which are read
  /// separately.
  private let bytesTogether: Int
  /// The value of ``offset`` at the last reset.
  private(set) var resetOffset = 0
  /// The starts that have been found so far, in any order.
  var starts: [SecretScan.Start] = []
  private let bytes: Int
  private let partBytes: Int

  init(of text: UnsafeBufferPointer<UInt8>, overlap: Int) {
    bytes = text.count
    partBytes = max(0, text.count - overlap) / Self.count
    bytesTogether = partBytes > 0 ? partBytes + overlap : 0
  }

  /// Returns the index in the text of the next byte in a part.
  func index(of part: Int) -> Int { part * partBytes + offset }

  /// The index in the text of the next byte in the last part.
  private var lastIndex: Int { index(of: Self.count - 1) }

  /// True if all parts have been read.
  var isAtEnd: Bool { lastIndex >= bytes }

  /// The parts that still have bytes to read.
  var unread: Range<Int> { (offset < bytesTogether ? 0 : Self.count - 1)..<Self.count }

  /// Returns the range of the bytes for which a part reports starts.
  func range(of part: Int) -> Range<Int> {
    part * partBytes..<(part == Self.count - 1 ? bytes : (part + 1) * partBytes)
  }

  /// Moves back by `bytes` bytes in each part and clears the states.
  mutating func reset(before bytes: Int) {
    resetOffset = offset
    offset = max(0, offset - bytes)
    states = SIMD4()
    for index in starts.indices { (starts[index].length, starts[index].walk) = (0, SecretWalks.root) }
  }

  /// The starts in order, without duplicates.
  var orderedStarts: [SecretScan.Start] {
    if Self.isOrdered(starts) { return starts }
    // Within a part, the starts are nearly always in order, so concatenating the parts usually suffices.
    var ordered: [SecretScan.Start] = []
    ordered.reserveCapacity(starts.count)
    for part in 0..<Self.count {
      let range = range(of: part)
      for start in starts where range.contains(start.index) { ordered.append(start) }
    }
    if Self.isOrdered(ordered) { return ordered }
    ordered.sort { $0.index < $1.index }
    var previous = -1
    ordered.removeAll { start in
      defer { previous = start.index }
      return start.index == previous
    }
    return ordered
  }

  private static func isOrdered(_ starts: [SecretScan.Start]) -> Bool {
    var previous = -1
    for start in starts {
      if start.index <= previous { return false }
      previous = start.index
    }
    return true
  }

  /// Reads until a byte has a report or an unknown entry in some part, or until the end.
  mutating func skip(_ table: Table, in text: UnsafeBufferPointer<UInt8>) {
    var (first, second, third, fourth) = (states[0], states[1], states[2], states[3])
    var index = offset
    let (secondStart, thirdStart, fourthStart) = (partBytes, 2 * partBytes, 3 * partBytes)
    while index < bytesTogether {
      let nextFirst = table[first, text[index]]
      let nextSecond = table[second, text[secondStart + index]]
      let nextThird = table[third, text[thirdStart + index]]
      let nextFourth = table[fourth, text[fourthStart + index]]
      if nextFirst | nextSecond | nextThird | nextFourth < 0 { break }
      (first, second, third, fourth) = (nextFirst, nextSecond, nextThird, nextFourth)
      index += 1
    }
    if index >= bytesTogether {
      while fourthStart + index < bytes {
        let next = table[fourth, text[fourthStart + index]]
        if next < 0 { break }
        fourth = next
        index += 1
      }
    }
    offset = index
    states = SIMD4(first, second, third, fourth)
  }
}
