/// The line that replaces a part of a long text.
public enum LeftOut {
  private static let begin = Array("[flowrun: ".utf8)
  private static let end = Array(" bytes left out]\n".utf8)

  /// Returns the line for a number of bytes.
  public static func line(bytes: Int) -> String {
    String(decoding: begin, as: UTF8.self) + "\(bytes)" + String(decoding: end, as: UTF8.self)
  }

  /// The ranges of these lines in a text.
  package static func gaps(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var gaps: [Range<Int>] = []
    // flowrun shortens only longer texts.
    guard bytes.count > 1 << 19 else { return gaps }
    var index = 0
    while index + begin.count + end.count < bytes.count {
      guard bytes[index] == begin[0], bytes[index...].starts(with: begin) else {
        index += 1
        continue
      }
      var close = index + begin.count
      while close < bytes.count, bytes[close] >= UInt8(ascii: "0"), bytes[close] <= UInt8(ascii: "9") { close += 1 }
      if bytes[close...].starts(with: end) { gaps.append(index..<close + end.count) }
      index = close
    }
    return gaps
  }
}
