/// System calls that are repeated if a signal interrupts them. The type exists because Swift methods with the same
/// names hide the C functions.
package enum SystemCall {
  /// Calls `read(2)`. Returns the number of bytes read, 0 at the end, or a negative number for an error, which is in
  /// `errno`.
  package static func read(_ file: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = systemRead(file, buffer)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Calls `write(2)`. Returns the number of bytes written, or a negative number for an error, which is in `errno`.
  package static func write(_ file: CInt, _ buffer: UnsafeRawBufferPointer) -> Int {
    while true {
      let count = systemWrite(file, buffer)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Writes all bytes. Returns 0, or the error number if that fails.
  package static func writeAll(_ file: CInt, _ bytes: UnsafeRawBufferPointer) -> CInt {
    var rest = bytes
    while !rest.isEmpty {
      let count = write(file, rest)
      if count < 0 { return errno }
      // A file that accepts no bytes would otherwise cause an endless loop.
      if count == 0 { return EIO }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return 0
  }
}

private func systemRead(_ file: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(file, buffer.baseAddress!, buffer.count)
}

private func systemWrite(_ file: CInt, _ buffer: UnsafeRawBufferPointer) -> Int {
  write(file, buffer.baseAddress!, buffer.count)
}
