/// Where secrets are in a text, encoded several times one around the other.
///
/// A nondeterministic automaton reads the text backwards through the encodings (``EncodedPosition``). It is made
/// deterministic as texts need it: each set of positions that a text has led to is a state with a row of successors. Which
/// three bytes a secret may begin with is noted apart, so that ordinary text costs one look-up a byte, each independent of
/// the one before. Both are bounded; states are built again when there are too many.
struct SecretSearch: Sendable {
  /// What the search found in a text.
  struct Match: Sendable {
    var range: Range<Int>
    /// Where the automaton was at its end: how they were encoded.
    var positions: [EncodedPosition]
    /// How many encodings were looked for.
    var encodings: Int
  }

  /// The texts to find, sorted.
  private let needles: [[UInt8]]
  /// How many encodings are taken off.
  let encodings: Int
  private var states: StateTable

  /// A search for these texts of UTF-8, encoded once or ``EncodedPosition/levels`` times.
  init(_ texts: [[UInt8]], encodings: Int) {
    needles = Set(texts).sorted { $0.lexicographicallyPrecedes($1) }
    self.encodings = encodings
    states = StateTable(needles, encodings: encodings)
  }

  /// All matches, in the order of their starts, of each start the longest.
  ///
  /// - Parameter isCut: whether a needle may continue after the end; the beginning of one is a match then, too.
  mutating func matches(in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool = false) -> [Match] {
    var found: [Match] = []
    var index = 0
    while states.skip(to: &index, in: bytes) || isCut && index < bytes.count {
      if let match = states.longest(in: bytes, from: index, isCut: isCut) { found.append(match) }
      index += 1
    }
    return found
  }

  /// What the first bytes of a text may be of, for looks at many places of it: most of them begin alike.
  typealias Beginnings = [UInt64: (positions: [EncodedPosition], accepting: [EncodedPosition])]
  /// Longer beginnings are not kept: few places share them, and little is left to compare.
  private static let keptBytes = 4

  /// The longest match that starts at a place with any part of a needle, and ends where the needle does.
  func ending(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ beginnings: inout Beginnings) -> Match? {
    var positions = EncodedPosition.starts(encodings: encodings, anywhere: true)
    var match: Match?
    var key: UInt64 = 1
    for index in start..<bytes.count {
      let isKept = index - start < Self.keptBytes
      key = isKept ? key << 8 | UInt64(bytes[index]) : 0
      let accepting: [EncodedPosition]
      if isKept, let known = beginnings[key] {
        (positions, accepting) = known
      } else {
        var next: [EncodedPosition] = []
        for position in positions { position.step(EncodedPosition.levels, bytes[index], needles, into: &next) }
        positions = Array(Set(next))
        accepting = positions.filter {
          $0.accepts(EncodedPosition.levels, needles)
            && (!$0.isBase64 || index + 1 - start >= Limits.secretCharacters)
        }
        if isKept { beginnings[key] = (positions, accepting) }
      }
      if positions.isEmpty { break }
      if !accepting.isEmpty { match = Match(range: start..<index + 1, positions: accepting, encodings: encodings) }
    }
    return match
  }

  /// The needles that a match may be of.
  func needles(of match: Match) -> Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    for position in match.positions {
      // The last bytes of a needle may not have been needed to know that it ends here.
      for index in position.candidates where index < needles.count { found.insert(needles[index]) }
    }
    return found
  }
}

/// The states of an automaton as far as texts have led to them.
private struct StateTable: Sendable {
  static let root = 0
  private static let unknown: Int16 = -1
  /// States, and positions in all of them, that are kept: about 10 MiB in all.
  private static let (mostStates, mostPositions) = (16_000, 200_000)

  private let needles: [[UInt8]]
  private let encodings: Int
  /// Whether no needle has a byte outside of ASCII.
  private let isASCII: Bool
  /// Bytes that mean the same everywhere have one number.
  private var classes = [UInt8](repeating: 0, count: 256)
  /// A number has so many bits.
  private var classBits = 0
  private var states: [[EncodedPosition]] = []
  private var numbers: [[EncodedPosition]: Int] = [:]
  private var positions = 0
  /// By state and class of a byte: the next state, `-2 - state` of one that ends a needle, or ``unknown``.
  private var rows: [Int16] = []

  /// Whether a needle may begin with three bytes, by the lower seven bits of each.
  private var beginnings: [UInt8] = []
  private static let (impossible, possible, unasked): (UInt8, UInt8, UInt8) = (0, 1, 2)

  init(_ needles: [[UInt8]], encodings: Int) {
    self.needles = needles
    self.encodings = encodings
    isASCII = needles.allSatisfy { $0.allSatisfy { $0 < 0x80 } }
    var used = ByteSet(digits: .max)
    for byte in "\\%&#;'\" =".utf8 { used.insert(byte) }
    for needle in needles { for byte in needle { used.insert(byte) } }
    // In UTF-8 some bytes never are.
    for (index, byte) in used.all.enumerated() { classes[Int(byte)] = UInt8(index + 1) }
    while 1 << classBits <= used.all.count { classBits += 1 }
  }

  private mutating func number(of state: [EncodedPosition]) -> Int {
    if let number = numbers[state] { return number }
    let number = states.count
    numbers[state] = number
    states.append(state)
    positions += state.count
    rows += repeatElement(Self.unknown, count: 1 << classBits)
    return number
  }

  /// Makes room when there are too many states; returns the number that a state has afterwards.
  private mutating func bounded(_ state: Int) -> Int {
    if states.isEmpty { return number(of: []) }
    guard states.count >= Self.mostStates || positions >= Self.mostPositions else { return state }
    let current = states[state]
    (states, numbers, positions, rows) = ([], [:], 0, [])
    _ = number(of: [])
    return number(of: current)
  }

  /// The entry of a state that is not in its row yet.
  private mutating func next(_ state: Int, _ byte: UInt8) -> Int16 {
    var next: [EncodedPosition] = []
    for position in state == Self.root ? EncodedPosition.starts(encodings: encodings, anywhere: false) : states[state] {
      position.step(EncodedPosition.levels, byte, needles, into: &next)
    }
    if next.count > 1 { next = Set(next).sorted() }
    let isEnd = next.contains { $0.accepts(EncodedPosition.levels, needles) }
    let number = Int16(number(of: next))
    let value = isEnd ? -2 - number : number
    rows[state << classBits | Int(classes[Int(byte)])] = value
    return value
  }

  /// Goes on to the first place where a needle may begin; false: there is none but within the last two bytes.
  mutating func skip(to index: inout Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    // Most masks never see a text.
    if beginnings.isEmpty { beginnings = Array(repeating: Self.unasked, count: 1 << 21) }
    while index < bytes.count - 2 {
      var at = index
      var entry = Int(bytes[at] & 0x7F) << 7 | Int(bytes[at + 1] & 0x7F)
      beginnings.withUnsafeBufferPointer { beginnings in
        // Four at a time, which costs one branch.
        while at + 5 < bytes.count {
          let first = (entry << 7 | Int(bytes[at + 2] & 0x7F)) & 0x1F_FFFF
          let second = (first << 7 | Int(bytes[at + 3] & 0x7F)) & 0x1F_FFFF
          let third = (second << 7 | Int(bytes[at + 4] & 0x7F)) & 0x1F_FFFF
          let fourth = (third << 7 | Int(bytes[at + 5] & 0x7F)) & 0x1F_FFFF
          if beginnings[first] | beginnings[second] | beginnings[third] | beginnings[fourth] != Self.impossible {
            break
          }
          entry = fourth
          at += 4
        }
        while at + 2 < bytes.count {
          entry = (entry << 7 | Int(bytes[at + 2] & 0x7F)) & 0x1F_FFFF
          if beginnings[entry] != Self.impossible { break }
          at += 1
        }
      }
      index = at
      guard index < bytes.count - 2 else { return false }
      if beginnings[entry] == Self.unasked { beginnings[entry] = mayBegin(entry) ? Self.possible : Self.impossible }
      if beginnings[entry] == Self.possible {
        if !endsSoon(in: bytes, from: index) { return true }
        index += 1
      }
    }
    return false
  }

  /// Whether it is known that nothing is left of a needle a few bytes after a place.
  private func endsSoon(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
    rows.withUnsafeBufferPointer { rows in
      classes.withUnsafeBufferPointer { classes in
        var state = Self.root
        for index in start..<min(start + 8, bytes.count) {
          let found = rows[state << classBits | Int(classes[Int(bytes[index])])]
          if found <= 0 { return found == 0 }
          state = Int(found)
        }
        return false
      }
    }
  }

  /// Whether a needle may begin with three bytes of which the lower seven bits are given.
  private mutating func mayBegin(_ entry: Int) -> Bool {
    let low = (UInt8(entry >> 14), UInt8(entry >> 7 & 0x7F), UInt8(entry & 0x7F))
    for high in 0..<(isASCII ? 1 : 8) as Range<UInt8> {
      if mayBegin(with: (low.0 | high << 7, low.1 | (high >> 1) << 7, low.2 | (high >> 2) << 7)) { return true }
    }
    return false
  }

  private mutating func mayBegin(with bytes: (UInt8, UInt8, UInt8)) -> Bool {
    var state = bounded(Self.root)
    for index in 0..<3 {
      let byte = index == 0 ? bytes.0 : index == 1 ? bytes.1 : bytes.2
      var found = rows[state << classBits | Int(classes[Int(byte)])]
      if found == Self.unknown {
        state = bounded(state)
        found = next(state, byte)
      }
      state = Int(found < 0 ? -2 - found : found)
      if state == Self.root { return false }
    }
    return true
  }

  /// The longest needle that starts at a place; where the text is cut, also the beginning of one.
  mutating func longest(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, isCut: Bool) -> SecretSearch.Match? {
    var state = bounded(Self.root)
    var (end, index, last) = (start, start, Self.root)
    var positions: [EncodedPosition] = []
    while index < bytes.count {
      var isOver = false
      rows.withUnsafeBufferPointer { rows in
        classes.withUnsafeBufferPointer { classes in
          while index < bytes.count {
            let found = rows[state << classBits | Int(classes[Int(bytes[index])])]
            if found == Self.unknown { return }
            state = Int(found < 0 ? -2 - found : found)
            if state == Self.root {
              isOver = true
              return
            }
            index += 1
            if found < 0 { (end, last) = (index, state) }
          }
        }
      }
      if isOver || index == bytes.count { break }
      // The states may be built again.
      if last != Self.root { positions = states[last] }
      last = Self.root
      state = bounded(state)
      _ = next(state, bytes[index])
    }
    if last != Self.root { positions = states[last] }
    if isCut, index == bytes.count, state != Self.root {
      let open = states[state].filter {
        $0.isBase64 ? bytes.count - start >= Limits.secretCharacters : $0.hasBegun
      }
      if !open.isEmpty { (end, positions) = (index, open) }
    }
    return end > start ? SecretSearch.Match(range: start..<end, positions: positions, encodings: encodings) : nil
  }
}
