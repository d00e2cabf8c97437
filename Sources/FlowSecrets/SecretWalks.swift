import FlowModel

/// A deterministic automaton that reads a secret from its first byte on. Its states are created on demand.
///
/// A state is the set of positions (``EncodedPosition``) that are possible after the bytes read so far. State 0 has no
/// positions. Every walk starts there, and a walk that returns to it has ended.
struct SecretWalks: Sendable {
  static let root = 0
  private static let unknown: Int16 = -1
  /// The maximum number of states, and of positions in all of them. Together, they take about 10 MiB.
  private static let mostStates = 16_000
  private static let mostPositions = 200_000
  /// The number of bytes after which the states of a walk are not stored. Each further byte of a long secret has its
  /// own state. Such a state is rarely reached again and would displace states that are reached often.
  private static let mostKeptBytes = 1_024
  /// The number of steps without stored states that are allowed for each byte of a text. A secret in the text takes one
  /// step per byte. More steps are needed only for a long, self-similar secret, such as a repeated character, in a
  /// similar text.
  private static let mostSteps = 4
  /// The number of bytes of plain text that can be compared in the time of one step.
  private static let plainBytesPerStep = 32

  private let needles: Needles
  private let encodings: Int
  /// The class of each byte. Bytes that occur in no encoding and in no needle have class 0.
  private(set) var classes = [UInt8](repeating: 0, count: 256)
  /// The number of bits that a class requires.
  private(set) var classBits = 0
  private var states: [[EncodedPosition]] = [[]]
  private var numbers: [[EncodedPosition]: Int] = [[]: root]
  /// For each state, the needle and the number of its bytes that have been read, if the rest can follow only without
  /// escapes.
  private var plainRest: [(needle: Int, depth: Int)?] = [nil]
  private var positions = 0
  /// For each state and class of bytes: the next state, `-2 - state` if a needle ends there, or ``unknown``.
  private var rows: [Int16] = []
  /// The steps that are left of ``mostSteps`` for the current text. When none are left, text that matches the first
  /// ``mostKeptBytes`` of a secret is treated as the secret.
  private var stepsLeft = 0

  init(_ needles: Needles, encodings: Int) {
    self.needles = needles
    self.encodings = encodings
    var used = ByteSet(digits: .max)
    for byte in "\\%&#;'\" =".utf8 { used.insert(byte) }
    for byte in needles.bytes { used.insert(byte) }
    // Some bytes never occur in UTF-8, so there are fewer than 256 classes.
    for (index, byte) in used.all.enumerated() { classes[Int(byte)] = UInt8(index + 1) }
    while 1 << classBits <= used.all.count { classBits += 1 }
    rows = Array(repeating: Self.unknown, count: 1 << classBits)
  }

  /// True if there are too many states, so that ``longest(in:from:isCut:)`` stores no more of them until
  /// ``removeAll()`` is called.
  var isFull: Bool { states.count >= Self.mostStates || positions >= Self.mostPositions }

  /// Removes all states except the root. Numbers of other states become invalid.
  mutating func removeAll() {
    (states, numbers, plainRest, positions) = ([[]], [[]: Self.root], [nil], 0)
    rows = Array(repeating: Self.unknown, count: 1 << classBits)
  }

  /// Returns the state after a byte, and true if a needle ends there.
  mutating func step(_ state: Int, _ byte: UInt8) -> (state: Int, isEnd: Bool) {
    let index = state << classBits | Int(classes[Int(byte)])
    let known = rows[index]
    if known != Self.unknown { return known < 0 ? (-2 - Int(known), true) : (Int(known), false) }
    let next = after(
      state == Self.root ? EncodedPosition.starts(encodings: encodings, isInside: false) : states[state], byte)
    let isEnd = isEnd(next)
    let number = number(of: next)
    rows[index] = Int16(isEnd ? -2 - number : number)
    return (number, isEnd)
  }

  private mutating func number(of state: [EncodedPosition]) -> Int {
    if let number = numbers[state] { return number }
    let number = states.count
    numbers[state] = number
    states.append(state)
    positions += state.count
    plainRest.append(state.count == 1 ? state[0].plainRest(of: needles) : nil)
    rows += repeatElement(Self.unknown, count: 1 << classBits)
    return number
  }

  private func after(_ positions: [EncodedPosition], _ byte: UInt8) -> [EncodedPosition] {
    var next: [EncodedPosition] = []
    for position in positions { position.step(EncodedPosition.levels, byte, needles, into: &next) }
    return next.count > 1 ? Set(next).sorted() : next
  }

  private func isEnd(_ positions: [EncodedPosition]) -> Bool {
    positions.contains { $0.accepts(EncodedPosition.levels, needles) }
  }

  /// Begins a new text: all of its steps are available.
  mutating func begin(_ bytes: UnsafeBufferPointer<UInt8>) { stepsLeft = Self.mostSteps * bytes.count }

  /// Returns the longest needle that starts at a byte of a text or, if the text was cut off, the beginning of one at
  /// its end. Returns nil if there is none.
  mutating func longest(
    in bytes: UnsafeBufferPointer<UInt8>, from start: SecretScan.Start, isCut: Bool
  ) -> SecretSearch.Match? {
    if let end = plainEnd(in: bytes, of: start) { return match(start.index..<end, states[start.walk]) }
    let keptEnd = isFull ? start.index + start.length : min(bytes.count, start.index + Self.mostKeptBytes)
    var (state, index, end, endState) = (start.walk, start.index + start.length, start.index, Self.root)
    while index < keptEnd {
      followKnown(&state, &index, in: bytes, to: keptEnd, &end, &endState)
      if index == keptEnd { break }
      let (next, isEnd) = step(state, bytes[index])
      state = next
      if state == Self.root { break }
      index += 1
      if isEnd { (end, endState) = (index, state) }
    }
    var found = states[endState]
    var open = index == start.index ? EncodedPosition.starts(encodings: encodings, isInside: false) : states[state]
    // Most walks have ended by now, so what follows is rare.
    if state == Self.root && index > start.index || index == bytes.count && !isCut {
      return match(start.index..<end, found)
    }
    while index < bytes.count, !open.isEmpty {
      if stepsLeft <= 0, index >= start.index + Self.mostKeptBytes {
        return match(start.index..<index, open, isAssumed: true)
      }
      let plain = open.count == 1 ? open[0].skipPlain(in: bytes, from: index, needles) : 0
      stepsLeft -= 1 + plain / Self.plainBytesPerStep
      if plain == 0 { open = after(open, bytes[index]) }
      index += max(1, plain)
      if isEnd(open) { (end, found) = (index, open) }
    }
    if isCut, index == bytes.count {
      open.removeAll { $0.isBase64 ? bytes.count - start.index < Limits.secretCharacters : !$0.hasBegun }
      if !open.isEmpty { (end, found) = (index, open) }
    }
    return match(start.index..<end, found)
  }

  private func match(
    _ range: Range<Int>, _ positions: [EncodedPosition], isAssumed: Bool = false
  ) -> SecretSearch.Match? {
    if range.isEmpty { return nil }
    return SecretSearch.Match(range: range, positions: positions, encodings: encodings, isAssumed: isAssumed)
  }

  /// Returns the end of the needle if only one needle is possible, without escapes, and the text contains it. Returns
  /// nil otherwise, or if no steps are left.
  private mutating func plainEnd(in bytes: UnsafeBufferPointer<UInt8>, of start: SecretScan.Start) -> Int? {
    guard start.walk != Self.root, stepsLeft > 0, let (needle, depth) = plainRest[start.walk] else { return nil }
    let begin = start.index + start.length
    let length = needles.length(needle)
    if length > Self.mostKeptBytes { stepsLeft -= length / Self.plainBytesPerStep }
    let (end, place) = (begin + length - depth, needles.place(depth, of: needle))
    guard end <= bytes.count else { return nil }
    return needles.bytes.withUnsafeBufferPointer { needle in
      for offset in 0..<end - begin where needle[place + offset] != bytes[begin + offset] { return nil }
      return end
    }
  }

  /// Continues as long as the next state is stored and is not the root.
  private func followKnown(
    _ state: inout Int, _ index: inout Int, in bytes: UnsafeBufferPointer<UInt8>, to stop: Int, _ end: inout Int,
    _ endState: inout Int
  ) {
    rows.withUnsafeBufferPointer { rows in
      classes.withUnsafeBufferPointer { classes in
        while index < stop {
          let found = Int(rows[state << classBits | Int(classes[Int(bytes[index])])])
          if found == Int(Self.unknown) || found == Self.root { return }
          state = found < 0 ? -2 - found : found
          index += 1
          if found < 0 { (end, endState) = (index, state) }
        }
      }
    }
  }
}
