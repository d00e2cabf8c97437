extension EncodedPosition {
  func stepBase64(_ level: Int, _ byte: UInt8, _ needles: Needles, into next: inout [EncodedPosition]) {
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
      // The first bits of the first byte are in the text before the secret, so only its last bits are known.
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

  /// Passes a byte to the next inner layer. A resulting position is kept if the needle may end there, or if a byte that
  /// begins with the known bits can follow.
  private func pass(
    _ level: Int, _ byte: UInt8, count: UInt8, value: UInt32, _ needles: Needles, into next: inout [EncodedPosition]
  ) {
    var after: [EncodedPosition] = []
    step(level - 1, byte, needles, into: &after)
    for position in after {
      let position = position.with(level, Layer(kind: .base64, count: count, value: value))
      let mayEnd = value == 0 && position.accepts(level - 1, needles)
      if count == 0 || mayEnd || !position.completions(level, needles).isEmpty { next.append(position) }
    }
  }

  /// Returns the bytes that the next inner layer can read and that begin with the known bits.
  func completions(_ level: Int, _ needles: Needles) -> [UInt8] {
    let layer = self[level]
    let missing = 8 - layer.count
    return bytes(level - 1, needles).range(Int(layer.value) << missing..<Int(layer.value + 1) << missing)
  }

  /// Returns the bytes that the layers up to `level` can read next. Some of them may not lead to any needle.
  func bytes(_ level: Int, _ needles: Needles) -> ByteSet {
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
          // At least six bits of the byte are missing, so all bits of the digit belong to it.
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
