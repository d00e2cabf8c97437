import FlowModel

/// Checks that decoded text is valid UTF-8 without the control characters U+0080 to U+009F.
enum UTF8Validation {
  /// Returns the problem with the bytes from `start` to `end`: the first invalid byte or, if they are valid UTF-8, the
  /// first control character from U+0080 to U+009F. Returns nil if there is none.
  static func problem(in bytes: Span<UInt8>, from start: Int, to end: Int) -> URLRejection? {
    if let offset = bytes.extracting(start..<end).withUnsafeBufferPointer(UTF8Check.firstInvalidOffset) {
      return URLRejection(.invalidUTF8, at: start + offset)
    }
    for position in start..<end where bytes[position] == 0xC2 && bytes[position + 1] < 0xA0 {
      return URLRejection(.controlCharacter, at: position)
    }
    return nil
  }
}
