extension EncodedPosition {
  /// The needles that the position may be in.
  private func range(in needles: [[UInt8]]) -> Range<Int> { Int(low)..<min(Int(high), needles.count) }

  /// Appends the positions after a byte of a needle.
  func stepNeedle(_ byte: UInt8, _ needles: [[UInt8]], into next: inout [EncodedPosition]) {
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

  /// The first of sorted needles with the same beginning whose next byte is at least `byte`. A needle that ends comes first.
  private static func bound(_ range: Range<Int>, _ needles: [[UInt8]], _ depth: Int, _ byte: Int) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      let isLess = needles[middle].count <= depth || Int(needles[middle][depth]) < byte
      if isLess { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func bytesOfNeedles(_ needles: [[UInt8]]) -> ByteSet {
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

  func needleEnds(_ needles: [[UInt8]]) -> Bool {
    depth > 0 && needles[Int(low)].count == Int(depth)
  }

  /// Skips text that continues the only possible needle without an encoding; returns the number of bytes skipped, 0 where
  /// an encoding may begin or is not finished.
  mutating func skipPlain(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ needles: [[UInt8]]) -> Int {
    guard depth > 0, high == low + 1, isPlain else { return 0 }
    let (needle, offset) = (needles[Int(low)], Int(depth) - start)
    var index = start
    needle.withUnsafeBufferPointer { needle in
      let end = min(bytes.count, needle.count - offset)
      while index < end, bytes[index] == needle[index + offset], !bytes[index].mayBeginEscape { index += 1 }
    }
    depth += Int32(index - start)
    return index - start
  }
}

extension EncodedPosition {
  /// The needle and the bytes of it that are read, if it is the only possible one and its rest is not an escape.
  func plainRest(of needles: [[UInt8]]) -> (needle: Int, depth: Int)? {
    guard depth > 0, high == low + 1, isPlain, !needles[Int(low)][Int(depth)...].contains(where: \.mayBeginEscape)
    else { return nil }
    return (Int(low), Int(depth))
  }
}

extension UInt8 {
  /// Whether the byte may begin an escape, or is one, such as `+` for a space.
  fileprivate var mayBeginEscape: Bool {
    switch self {
    case UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "+"): true
    default: false
    }
  }
}
