extension Span<UInt8> {
  /// The text of the UTF-8 bytes from `start` to `end`.
  @inline(__always)
  func text(from start: Int, to end: Int) -> String {
    // The buffer is only read inside the closure, while the span is valid.
    extracting(start..<end).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}

extension String {
  /// Passes the UTF-8 bytes to `body` without a copy; a string bridged from elsewhere is copied first.
  @inline(__always)
  func withUTF8Span<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    // The span does not outlive the closure in which the buffer is valid: `Span` cannot escape `body`.
    if let result = utf8.withContiguousStorageIfAvailable({ body(Span(_unsafeElements: $0)) }) { return result }
    return body(Array(utf8).span)
  }
}
