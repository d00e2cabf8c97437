/// System calls that are repeated if a signal interrupts them. Swift methods hide their original names.
package enum SystemCall {
  /// `read(2)`: returns the number of bytes read, 0 at the end, or a negative number for an error in `errno`.
  package static func read(_ file: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = systemRead(file, buffer)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// `write(2)`: returns the number of bytes written, or a negative number for an error in `errno`.
  package static func write(_ file: CInt, _ buffer: UnsafeRawBufferPointer) -> Int {
    while true {
      let count = systemWrite(file, buffer)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Writes all bytes; returns the error number or 0.
  package static func writeAll(_ file: CInt, _ bytes: UnsafeRawBufferPointer) -> CInt {
    var rest = bytes
    while !rest.isEmpty {
      let count = write(file, rest)
      if count < 0 { return errno }
      // Without this check, a file that accepts no bytes would cause an endless loop.
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
