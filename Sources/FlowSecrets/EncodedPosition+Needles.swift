extension EncodedPosition {
  /// Returns the range of the sorted needles that match the bytes up to this position.
  private func range(in needles: Needles) -> Range<Int> { Int(low)..<min(Int(high), needles.count) }

  /// Appends the position that results if a needle continues with `byte`.
  func stepNeedle(_ byte: UInt8, _ needles: Needles, into next: inout [EncodedPosition]) {
    let range = range(in: needles)
    let low = Self.bound(range, needles, Int(depth), Int(byte))
    guard low < range.upperBound, Int(depth) < needles.length(low), needles.byte(Int(depth), of: low) == byte else {
      return
    }
    var position = self
    position.low = Int32(low)
    position.high = Int32(Self.bound(low..<range.upperBound, needles, Int(depth), Int(byte) + 1))
    position.depth += 1
    next.append(position)
  }

  /// Returns the index of the first needle in `range` whose byte at `depth` is at least `byte`. The needles are sorted,
  /// and their first `depth` bytes are equal. A needle without further bytes comes first.
  private static func bound(_ range: Range<Int>, _ needles: Needles, _ depth: Int, _ byte: Int) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      let isLess = needles.length(middle) <= depth || Int(needles.byte(depth, of: middle)) < byte
      if isLess { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func bytesOfNeedles(_ needles: Needles) -> ByteSet {
    if depth == 0 { return needles.firstBytes }
    var set = ByteSet()
    let range = range(in: needles)
    if range.count < 64 {
      for index in range where needles.length(index) > depth { set.insert(needles.byte(Int(depth), of: index)) }
      return set
    }
    var index = range.lowerBound
    while index < range.upperBound {
      if needles.length(index) <= depth {
        index += 1
        continue
      }
      let byte = needles.byte(Int(depth), of: index)
      set.insert(byte)
      index = Self.bound(index..<range.upperBound, needles, Int(depth), Int(byte) + 1)
    }
    return set
  }

  func needleEnds(_ needles: Needles) -> Bool {
    depth > 0 && needles.length(Int(low)) == Int(depth)
  }

  /// Skips unencoded text that continues the only possible needle. Returns the number of skipped bytes. It is 0 if
  /// several needles are possible, or if an encoding may begin or is incomplete.
  mutating func skipPlain(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ needles: Needles) -> Int {
    guard depth > 0, high == low + 1, isPlain else { return 0 }
    let offset = needles.place(Int(depth), of: Int(low)) - start
    let end = min(bytes.count, start + needles.length(Int(low)) - Int(depth))
    var index = start
    needles.bytes.withUnsafeBufferPointer { needle in
      while index < end, bytes[index] == needle[index + offset], !bytes[index].mayBeginEscape { index += 1 }
    }
    depth += Int32(index - start)
    return index - start
  }
}

extension EncodedPosition {
  /// Returns the only possible needle and the number of bytes of it that have been read. Returns nil if nothing has
  /// been read, several needles are possible, an encoding is incomplete, or the rest may contain escapes.
  func plainRest(of needles: Needles) -> (needle: Int, depth: Int)? {
    guard depth > 0, high == low + 1, isPlain,
      !needles.whole(Int(low)).dropFirst(Int(depth)).contains(where: \.mayBeginEscape)
    else { return nil }
    return (Int(low), Int(depth))
  }
}

extension UInt8 {
  /// True if the byte may begin an escape or is one itself, such as `+` for a space.
  fileprivate var mayBeginEscape: Bool {
    switch self {
    case UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "+"): true
    default: false
    }
  }
}
