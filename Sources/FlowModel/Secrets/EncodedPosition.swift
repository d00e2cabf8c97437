/// A place in secrets that are read through three layers, each of which takes escapes or base64 off.
///
/// A layer of escapes passes on what it reads, and also what that stands for in JSON, percent encoding, XML and a
/// single-quoted text of a shell: that an escape was none is one possibility among others. So fewer than three encodings,
/// and several beside each other, are covered, too.
struct EncodedPosition: Hashable, Sendable {
  /// Encodings that may lie one around the other.
  static let levels = 3

  /// The needles that begin with what has been read, of the sorted ones, and how many bytes that are; -1: any needle, from
  /// any of its bytes on.
  private var low: Int32
  private var high: Int32
  private var depth: Int32
  private var layers: (Layer, Layer, Layer)

  /// How far a layer is in what it takes off.
  private struct Layer: Hashable, Sendable {
    enum Kind: UInt8 {
      /// Passes on what it reads: there are fewer encodings.
      case none
      /// Between escapes.
      case plain
      case backslash, unicode, surrogate, surrogateBackslash
      case percent
      case ampersand, decimal, hexadecimal
      /// `count` bytes into `'\''`, or after three, into `'"'"'`.
      case quote
      /// `count` bits of a byte are known, `value`.
      case base64
      /// The first `count` bits of the first byte came before.
      case base64Start
      /// So many `=` are missing.
      case padding
    }

    var kind = Kind.plain
    var count: UInt8 = 0
    var extra: UInt16 = 0
    var value: UInt32 = 0

    var isBase64: Bool { kind.rawValue >= Kind.base64.rawValue }
    var order: UInt64 { UInt64(kind.rawValue) << 56 | UInt64(count) << 48 | UInt64(extra) << 32 | UInt64(value) }
  }

  static func == (first: Self, second: Self) -> Bool {
    first.low == second.low && first.high == second.high && first.depth == second.depth
      && first.layers.0 == second.layers.0 && first.layers.1 == second.layers.1 && first.layers.2 == second.layers.2
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(low)
    hasher.combine(high)
    hasher.combine(depth)
    hasher.combine(layers.0.order)
    hasher.combine(layers.1.order)
    hasher.combine(layers.2.order)
  }

  private subscript(level: Int) -> Layer {
    get { level == 1 ? layers.0 : level == 2 ? layers.1 : layers.2 }
    set {
      switch level {
      case 1: layers.0 = newValue
      case 2: layers.1 = newValue
      default: layers.2 = newValue
      }
    }
  }

  /// Where reading may begin.
  ///
  /// - Parameters:
  ///   - encodings: how many may lie one around the other, one or ``levels``.
  ///   - anywhere: also within a needle.
  static func starts(encodings: Int, anywhere: Bool) -> [EncodedPosition] {
    let skips: [UInt8] = anywhere ? [2, 4, 6] : [2, 4]
    let layers = [Layer(), Layer(kind: .base64)] + skips.map { Layer(kind: .base64Start, count: $0) }
    let outer = encodings == levels ? layers : [Layer(kind: .none)]
    var starts: [EncodedPosition] = []
    for first in layers {
      for second in outer {
        for third in outer {
          starts.append(EncodedPosition(low: 0, high: .max, depth: anywhere ? -1 : 0, layers: (first, second, third)))
        }
      }
    }
    return starts
  }

  /// Whether a layer takes base64 off.
  var isBase64: Bool { layers.0.isBase64 || layers.1.isBase64 || layers.2.isBase64 }

  /// Whether a byte of a needle has been read.
  var hasBegun: Bool { depth > 0 }

  /// The needles it may be of; at most a few.
  var candidates: Range<Int> { Int(low)..<min(Int(high), Int(low) + 8) }

  /// Which layers take base64 off, the innermost first.
  var base64Layers: [Bool] { [layers.0.isBase64, layers.1.isBase64, layers.2.isBase64] }
}

extension EncodedPosition: Comparable {
  static func < (first: Self, second: Self) -> Bool {
    (first.low, first.high, first.depth, first.layers.0.order, first.layers.1.order, first.layers.2.order)
      < (second.low, second.high, second.depth, second.layers.0.order, second.layers.1.order, second.layers.2.order)
  }
}

// MARK: Needles

extension EncodedPosition {
  /// The needles of those it stands for.
  private func range(in needles: [[UInt8]]) -> Range<Int> { Int(low)..<min(Int(high), needles.count) }

  /// The needles that go on with a byte.
  private func stepNeedle(_ byte: UInt8, _ needles: [[UInt8]], into next: inout [EncodedPosition]) {
    let range = range(in: needles)
    guard depth >= 0 else {
      for index in range {
        let needle = needles[index]
        for offset in needle.indices where needle[offset] == byte {
          var position = self
          (position.low, position.high, position.depth) = (Int32(index), Int32(index + 1), Int32(offset + 1))
          next.append(position)
        }
      }
      return
    }
    let low = Self.bound(range, needles, Int(depth), Int(byte))
    guard low < range.upperBound, Int(depth) < needles[low].count, needles[low][Int(depth)] == byte else { return }
    var position = self
    position.low = Int32(low)
    position.high = Int32(Self.bound(low..<range.upperBound, needles, Int(depth), Int(byte) + 1))
    position.depth += 1
    next.append(position)
  }

  /// The first of sorted needles with the same beginning whose next byte is not less; one that ends is less than all.
  private static func bound(_ range: Range<Int>, _ needles: [[UInt8]], _ depth: Int, _ byte: Int) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      let isLess = needles[middle].count <= depth || Int(needles[middle][depth]) < byte
      if isLess { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func bytesOfNeedles(_ needles: [[UInt8]]) -> ByteSet {
    var set = ByteSet()
    let range = range(in: needles)
    if depth < 0 {
      for index in range { for byte in needles[index] { set.insert(byte) } }
      return set
    }
    var index = range.lowerBound
    while index < range.upperBound {
      if needles[index].count <= depth {
        index += 1
        continue
      }
      let byte = needles[index][Int(depth)]
      set.insert(byte)
      index = Self.bound(index..<range.upperBound, needles, Int(depth), Int(byte) + 1)
    }
    return set
  }

  private func needleEnds(_ needles: [[UInt8]]) -> Bool {
    depth > 0 && needles[Int(low)].count == Int(depth)
  }
}

// MARK: Layers

extension EncodedPosition {
  /// The positions after a byte of the text as the layers up to a level read it.
  func step(_ level: Int, _ byte: UInt8, _ needles: [[UInt8]], into next: inout [EncodedPosition]) {
    guard level > 0 else { return stepNeedle(byte, needles, into: &next) }
    if self[level].kind == .none {
      step(level - 1, byte, needles, into: &next)
    } else if self[level].isBase64 {
      stepBase64(level, byte, needles, into: &next)
    } else {
      stepEscapes(level, byte, needles, into: &next)
    }
  }

  /// Whether a needle ends here.
  func accepts(_ level: Int, _ needles: [[UInt8]]) -> Bool {
    guard level > 0 else { return needleEnds(needles) }
    let layer = self[level]
    switch layer.kind {
    case .none, .plain: return accepts(level - 1, needles)
    case .padding: return layer.count == 0
    case .base64:
      if layer.count == 0 || layer.count <= 4 && layer.value == 0, accepts(level - 1, needles) { return true }
      guard layer.count >= 4 else { return false }
      // The next character would hold bits of whatever follows.
      var ends: [EncodedPosition] = []
      for byte in completions(level, needles) { step(level - 1, byte, needles, into: &ends) }
      return ends.contains { $0.accepts(level - 1, needles) }
    default: return false
    }
  }

  private func with(_ level: Int, _ layer: Layer) -> EncodedPosition {
    var position = self
    position[level] = layer
    return position
  }

  /// Gives bytes to the layer below, and has this one go on as said.
  private func emit(
    _ level: Int, _ bytes: some Sequence<UInt8>, _ needles: [[UInt8]], into next: inout [EncodedPosition]
  ) {
    var positions = [self]
    for byte in bytes {
      var after: [EncodedPosition] = []
      for position in positions { position.step(level - 1, byte, needles, into: &after) }
      positions = after
    }
    next += positions.map { $0.with(level, Layer()) }
  }

  private func emit(_ level: Int, _ byte: UInt8, _ needles: [[UInt8]], into next: inout [EncodedPosition]) {
    let start = next.count
    step(level - 1, byte, needles, into: &next)
    for index in start..<next.count { next[index][level] = Layer() }
  }

  private func emit(_ level: Int, scalar: UInt32, _ needles: [[UInt8]], into next: inout [EncodedPosition]) {
    guard let scalar = Unicode.Scalar(scalar) else { return }
    emit(level, UTF8.encode(scalar) ?? .init(), needles, into: &next)
  }

  private func stepEscapes(_ level: Int, _ byte: UInt8, _ needles: [[UInt8]], into next: inout [EncodedPosition]) {
    let layer = self[level]
    switch layer.kind {
    case .plain:
      emit(level, byte, needles, into: &next)
      switch byte {
      case UInt8(ascii: "\\"): next.append(with(level, Layer(kind: .backslash)))
      case UInt8(ascii: "%"): next.append(with(level, Layer(kind: .percent)))
      case UInt8(ascii: "&"): next.append(with(level, Layer(kind: .ampersand)))
      case UInt8(ascii: "'"): next.append(with(level, Layer(kind: .quote, count: 1)))
      case UInt8(ascii: "+"): emit(level, UInt8(ascii: " "), needles, into: &next)
      default: break
      }
    case .backslash:
      if byte == UInt8(ascii: "u") {
        next.append(with(level, Layer(kind: .unicode)))
      } else if let escaped = byte.jsonEscaped {
        emit(level, escaped, needles, into: &next)
      }
    case .unicode:
      guard let digit = byte.hexDigit else { return }
      var layer = layer
      layer.value = layer.value << 4 | digit
      layer.count += 1
      if layer.count < 4 {
        if mayFollow(level, layer, needles) { next.append(with(level, layer)) }
        return
      }
      if layer.extra != 0 {
        guard layer.value & 0xFC00 == 0xDC00 else { return }
        emit(level, scalar: 0x1_0000 + (UInt32(layer.extra) & 0x3FF) << 10 + layer.value & 0x3FF, needles, into: &next)
      } else if layer.value & 0xFC00 == 0xD800 {
        next.append(with(level, Layer(kind: .surrogate, extra: UInt16(layer.value))))
      } else {
        emit(level, scalar: layer.value, needles, into: &next)
      }
    case .surrogate:
      if byte == UInt8(ascii: "\\") { next.append(with(level, Layer(kind: .surrogateBackslash, extra: layer.extra))) }
    case .surrogateBackslash:
      if byte == UInt8(ascii: "u") { next.append(with(level, Layer(kind: .unicode, extra: layer.extra))) }
    case .percent:
      guard let digit = byte.hexDigit else { return }
      if layer.count == 0 { return next.append(with(level, Layer(kind: .percent, count: 1, value: digit))) }
      emit(level, UInt8(layer.value << 4 | digit), needles, into: &next)
    case .ampersand:
      if byte == UInt8(ascii: "#"), layer.count == 0 { return next.append(with(level, Layer(kind: .decimal))) }
      if byte == UInt8(ascii: ";") {
        guard let scalar = Self.entities[layer.value] else { return }
        emit(level, scalar, needles, into: &next)
      } else if layer.count < 4, byte >= UInt8(ascii: "a"), byte <= UInt8(ascii: "z") {
        next.append(
          with(level, Layer(kind: .ampersand, count: layer.count + 1, value: layer.value << 8 | UInt32(byte))))
      }
    case .decimal, .hexadecimal:
      if byte == UInt8(ascii: ";"), layer.count > 0 {
        emit(level, scalar: layer.value, needles, into: &next)
      } else if byte | 0x20 == UInt8(ascii: "x"), layer.count == 0, layer.kind == .decimal {
        next.append(with(level, Layer(kind: .hexadecimal)))
      } else if let digit = byte.hexDigit, layer.count < 7, layer.kind == .hexadecimal || digit < 10 {
        let value = layer.value * (layer.kind == .decimal ? 10 : 16) + digit
        next.append(with(level, Layer(kind: layer.kind, count: layer.count + 1, value: value)))
      }
    case .quote:
      // `'\''`, counted 1, 2, 3, and `'"'"'`, counted 1, 4, 5, 6.
      switch (layer.count, byte) {
      case (1, UInt8(ascii: "\\")): next.append(with(level, Layer(kind: .quote, count: 2)))
      case (1, UInt8(ascii: "\"")): next.append(with(level, Layer(kind: .quote, count: 4)))
      case (2, UInt8(ascii: "'")), (4, UInt8(ascii: "'")):
        next.append(with(level, Layer(kind: .quote, count: layer.count + 1)))
      case (5, UInt8(ascii: "\"")): next.append(with(level, Layer(kind: .quote, count: 6)))
      case (3, UInt8(ascii: "'")), (6, UInt8(ascii: "'")): emit(level, byte, needles, into: &next)
      default: break
      }
    case .none, .base64, .base64Start, .padding: break
    }
  }

  /// Whether a character may follow whose first digits these are.
  private func mayFollow(_ level: Int, _ layer: Layer, _ needles: [[UInt8]]) -> Bool {
    guard layer.extra == 0 else { return true }
    let missing = 4 * (4 - UInt32(layer.count))
    let (low, high) = (layer.value << missing, (layer.value + 1) << missing - 1)
    // Half a surrogate pair stands for what begins with 0xF0 or more.
    let last = low <= 0xDFFF && high >= 0xD800 ? 0xF4 : Self.firstByte(of: high)
    return !bytes(level - 1, needles).range(Self.firstByte(of: low)..<last + 1).isEmpty
  }

  /// The first byte of a character in UTF-8.
  private static func firstByte(of scalar: UInt32) -> Int {
    scalar < 0x80 ? Int(scalar) : scalar < 0x800 ? Int(0xC0 | scalar >> 6) : Int(0xE0 | scalar >> 12)
  }

  /// XML's own names, packed.
  private static let entities: [UInt32: UInt8] = {
    var entities: [UInt32: UInt8] = [:]
    for (name, byte) in [("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'")]
      as [(String, UnicodeScalar)]
    {
      entities[name.utf8.reduce(0) { $0 << 8 | UInt32($1) }] = UInt8(ascii: byte)
    }
    return entities
  }()
}

// MARK: Base64

extension EncodedPosition {
  private func stepBase64(_ level: Int, _ byte: UInt8, _ needles: [[UInt8]], into next: inout [EncodedPosition]) {
    let layer = self[level]
    if byte == UInt8(ascii: "=") {
      if layer.kind == .padding, layer.count > 0 {
        next.append(with(level, Layer(kind: .padding, count: layer.count - 1)))
      } else if layer.kind == .base64, layer.count == 2 || layer.count == 4, layer.value == 0,
        accepts(level - 1, needles)
      {
        next.append(with(level, Layer(kind: .padding, count: layer.count / 2 - 1)))
      }
      return
    }
    guard let digit = byte.base64Digit, layer.kind != .padding else { return }
    if layer.kind == .base64Start {
      // Of the first byte only the last bits are known.
      let known = 8 - layer.count
      let rest = 6 - known
      for first in self.bytes(level - 1, needles).all
      where UInt32(first) & (1 << known - 1) == digit >> rest {
        pass(level, first, count: rest, value: digit & (1 << rest - 1), needles, into: &next)
      }
      return
    }
    let (count, value) = (layer.count + 6, layer.value << 6 | digit)
    if count < 8 {
      let position = with(level, Layer(kind: .base64, count: count, value: value))
      if !position.completions(level, needles).isEmpty { next.append(position) }
    } else {
      let rest = count - 8
      pass(level, UInt8(value >> rest), count: rest, value: value & (1 << rest - 1), needles, into: &next)
    }
  }

  /// Gives a byte to the layer below; of the next one some bits are known, which must be those of one that may follow.
  private func pass(
    _ level: Int, _ byte: UInt8, count: UInt8, value: UInt32, _ needles: [[UInt8]], into next: inout [EncodedPosition]
  ) {
    var after: [EncodedPosition] = []
    step(level - 1, byte, needles, into: &after)
    for position in after {
      let position = position.with(level, Layer(kind: .base64, count: count, value: value))
      let mayEnd = value == 0 && position.accepts(level - 1, needles)
      if count == 0 || mayEnd || !position.completions(level, needles).isEmpty { next.append(position) }
    }
  }

  /// The bytes that may follow below and begin with the bits that are known.
  private func completions(_ level: Int, _ needles: [[UInt8]]) -> [UInt8] {
    let layer = self[level]
    let missing = 8 - layer.count
    return bytes(level - 1, needles).range(Int(layer.value) << missing..<Int(layer.value + 1) << missing)
  }

  /// The bytes that may follow, as the layers up to a level read them; some may lead nowhere.
  private func bytes(_ level: Int, _ needles: [[UInt8]]) -> ByteSet {
    guard level > 0 else { return bytesOfNeedles(needles) }
    let layer = self[level]
    switch layer.kind {
    case .none: return bytes(level - 1, needles)
    case .plain:
      var set = bytes(level - 1, needles)
      if set.contains(UInt8(ascii: " ")) { set.insert(UInt8(ascii: "+")) }
      for escape in "\\%&".utf8 { set.insert(escape) }
      return set
    case .backslash: return ByteSet("\"\\/bfnrtu")
    case .unicode, .percent: return ByteSet("0123456789abcdefABCDEF")
    case .surrogate: return ByteSet("\\")
    case .surrogateBackslash: return ByteSet("u")
    case .ampersand: return ByteSet("#;aglmopqstu")
    case .decimal: return ByteSet("0123456789;xX")
    case .hexadecimal: return ByteSet("0123456789;abcdefABCDEF")
    case .quote: return ByteSet("'\"\\")
    case .padding: return layer.count > 0 ? ByteSet("=") : ByteSet()
    case .base64, .base64Start:
      let inner = bytes(level - 1, needles)
      var digits: UInt64 = 0
      for byte in inner.all {
        let byte = UInt32(byte)
        if layer.kind == .base64Start {
          let known = 8 - layer.count
          let rest = 6 - known
          let first = (byte & (1 << known - 1)) << rest
          for digit in first..<first + 1 << rest { digits |= 1 << UInt64(digit) }
        } else if layer.count < 3 {
          // The whole digit is of this byte.
          let missing = 8 - UInt32(layer.count)
          if byte >> missing == layer.value { digits |= 1 << UInt64(byte >> (missing - 6) & 63) }
        } else {
          let missing = 8 - UInt32(layer.count)
          let rest = 6 - missing
          guard byte >> missing == layer.value else { continue }
          let first = (byte & (1 << missing - 1)) << rest
          for digit in first..<first + 1 << rest { digits |= 1 << UInt64(digit) }
        }
      }
      if layer.kind == .base64, layer.count > 0, layer.value == 0, accepts(level - 1, needles) {
        var set = ByteSet(digits: digits)
        set.insert(UInt8(ascii: "="))
        return set
      }
      return ByteSet(digits: digits)
    }
  }
}

/// A set of bytes.
struct ByteSet: Sendable {
  private var words = SIMD4<UInt64>()

  init() {}

  init(_ text: String) {
    for byte in text.utf8 { insert(byte) }
  }

  /// The characters of base64, of both alphabets, that stand for these digits.
  init(digits: UInt64) {
    for digit in 0..<64 where digits >> UInt64(digit) & 1 == 1 {
      switch digit {
      case 0..<26: insert(UInt8(ascii: "A") + UInt8(digit))
      case 26..<52: insert(UInt8(ascii: "a") + UInt8(digit - 26))
      case 52..<62: insert(UInt8(ascii: "0") + UInt8(digit - 52))
      case 62: for byte in "+-".utf8 { insert(byte) }
      default: for byte in "/_".utf8 { insert(byte) }
      }
    }
  }

  var isEmpty: Bool { words == SIMD4() }

  mutating func insert(_ byte: UInt8) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

  func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1 }

  /// All of them.
  var all: [UInt8] { range(0..<256) }

  /// Those in a range.
  func range(_ range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      let word = words[index >> 6] >> UInt64(index & 63)
      if word == 0 {
        index = (index >> 6 + 1) << 6
        continue
      }
      index += word.trailingZeroBitCount
      if index < range.upperBound { bytes.append(UInt8(index)) }
      index += 1
    }
    return bytes
  }
}

extension UInt8 {
  fileprivate var hexDigit: UInt32? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self - UInt8(ascii: "A")) + 10
    default: nil
    }
  }

  /// What it stands for in base64, of either alphabet.
  var base64Digit: UInt32? {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(self - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(self - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }

  /// What it stands for after a backslash in JSON.
  fileprivate var jsonEscaped: UInt8? {
    switch self {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): self
    case UInt8(ascii: "b"): 8
    case UInt8(ascii: "f"): 12
    case UInt8(ascii: "n"): 10
    case UInt8(ascii: "r"): 13
    case UInt8(ascii: "t"): 9
    default: nil
    }
  }
}
