extension Span<UInt8> {
  /// Returns the UTF-8 bytes from `start` to `end` as a string.
  @inline(__always)
  func text(from start: Int, to end: Int) -> String {
    // The span is valid while the closure runs, and the buffer is not used after that.
    extracting(start..<end).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}

extension String {
  /// Calls `body` with the UTF-8 bytes of the string. Copies them only if the string is not stored as contiguous UTF-8.
  @inline(__always)
  func withUTF8Span<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    // The buffer is valid inside the closure, and the span cannot outlive it, because `Span` cannot escape from `body`.
    if let result = utf8.withContiguousStorageIfAvailable({ body(Span(_unsafeElements: $0)) }) { return result }
    return body(Array(utf8).span)
  }
}
