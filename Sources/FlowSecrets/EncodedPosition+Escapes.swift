extension EncodedPosition {
  /// Appends the positions that result if the layers up to `level` read a byte.
  func step(_ level: Int, _ byte: UInt8, _ needles: Needles, into next: inout [EncodedPosition]) {
    guard level > 0 else { return stepNeedle(byte, needles, into: &next) }
    if self[level].kind == .none {
      step(level - 1, byte, needles, into: &next)
    } else if self[level].isBase64 {
      stepBase64(level, byte, needles, into: &next)
    } else {
      stepEscapes(level, byte, needles, into: &next)
    }
  }

  /// Returns true if a needle can end at this position.
  func accepts(_ level: Int, _ needles: Needles) -> Bool {
    guard level > 0 else { return needleEnds(needles) }
    let layer = self[level]
    switch layer.kind {
    case .none, .plain: return accepts(level - 1, needles)
    case .padding: return layer.count == 0
    case .base64:
      if layer.count == 0 || layer.count <= 4 && layer.value == 0, accepts(level - 1, needles) { return true }
      guard layer.count >= 4 else { return false }
      // The needle's last bits may be in a character that also contains bits of the text after the secret.
      var ends: [EncodedPosition] = []
      for byte in completions(level, needles) { step(level - 1, byte, needles, into: &ends) }
      return ends.contains { $0.accepts(level - 1, needles) }
    default: return false
    }
  }

  func with(_ level: Int, _ layer: Layer) -> EncodedPosition {
    var position = self
    position[level] = layer
    return position
  }

  /// Passes bytes to the next inner layer. This layer returns to its state between escapes.
  private func emit(
    _ level: Int, _ bytes: some Sequence<UInt8>, _ needles: Needles, into next: inout [EncodedPosition]
  ) {
    var positions = [self]
    for byte in bytes {
      var after: [EncodedPosition] = []
      for position in positions { position.step(level - 1, byte, needles, into: &after) }
      positions = after
    }
    next += positions.map { $0.with(level, Layer()) }
  }

  private func emit(_ level: Int, _ byte: UInt8, _ needles: Needles, into next: inout [EncodedPosition]) {
    let start = next.count
    step(level - 1, byte, needles, into: &next)
    for index in start..<next.count { next[index][level] = Layer() }
  }

  private func emit(_ level: Int, scalar: UInt32, _ needles: Needles, into next: inout [EncodedPosition]) {
    guard let scalar = Unicode.Scalar(scalar) else { return }
    emit(level, UTF8.encode(scalar) ?? .init(), needles, into: &next)
  }

  private func stepEscapes(_ level: Int, _ byte: UInt8, _ needles: Needles, into next: inout [EncodedPosition]) {
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
      if layer.count == 0 {
        guard !bytes(level - 1, needles).range(Int(digit) << 4..<Int(digit + 1) << 4).isEmpty else { return }
        return next.append(with(level, Layer(kind: .percent, count: 1, value: digit)))
      }
      emit(level, UInt8(layer.value << 4 | digit), needles, into: &next)
    case .ampersand:
      if byte == UInt8(ascii: "#"), layer.count == 0 { return next.append(with(level, Layer(kind: .decimal))) }
      if byte == UInt8(ascii: ";") {
        guard let scalar = Self.entities[layer.value] else { return }
        emit(level, scalar, needles, into: &next)
      } else if let name = Self.entityPrefixes[layer.value << 8 | UInt32(byte)] {
        let below = bytes(level - 1, needles)
        guard name.contains(where: { below.contains($0) }) else { return }
        let layer = Layer(kind: .ampersand, count: layer.count + 1, value: layer.value << 8 | UInt32(byte))
        next.append(with(level, layer))
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
      // The counts are 1, 2, 3 after the characters of `'\''`, and 1, 4, 5, 6 after those of `'"'"'`.
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

  /// Returns true if a needle can continue with a character whose hexadecimal code begins with the digits read so far.
  private func mayFollow(_ level: Int, _ layer: Layer, _ needles: Needles) -> Bool {
    guard layer.extra == 0 else { return true }
    let missing = 4 * (4 - UInt32(layer.count))
    let (low, high) = (layer.value << missing, (layer.value + 1) << missing - 1)
    // In UTF-8, characters that consist of a surrogate pair begin with 0xF0 or more.
    let last = low <= 0xDFFF && high >= 0xD800 ? 0xF4 : Self.firstByte(of: high)
    return !bytes(level - 1, needles).range(Self.firstByte(of: low)..<last + 1).isEmpty
  }

  /// Returns the first byte in UTF-8 of a character up to U+FFFF.
  private static func firstByte(of scalar: UInt32) -> Int {
    scalar < 0x80 ? Int(scalar) : scalar < 0x800 ? Int(0xC0 | scalar >> 6) : Int(0xE0 | scalar >> 12)
  }

  /// The characters that have names in XML. The keys are the bytes of the names, combined into one number.
  private static let entities: [UInt32: UInt8] = {
    var entities: [UInt32: UInt8] = [:]
    for (name, byte) in [("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'")]
      as [(String, UnicodeScalar)]
    {
      entities[name.utf8.reduce(0) { $0 << 8 | UInt32($1) }] = UInt8(ascii: byte)
    }
    return entities
  }()

  /// For each beginning of a name in XML, the characters whose names begin with it.
  private static let entityPrefixes: [UInt32: [UInt8]] = {
    var prefixes: [UInt32: [UInt8]] = [:]
    for (name, byte) in entities {
      for shift in [0, 8, 16, 24] as [UInt32] where name >> shift != 0 {
        prefixes[name >> shift, default: []].append(byte)
      }
    }
    return prefixes
  }()
}
