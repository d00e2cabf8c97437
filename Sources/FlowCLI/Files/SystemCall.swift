#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system calls whose names Swift's own methods hide, tried again when a signal comes between.
enum SystemCall {
  /// `read(2)`: how many bytes were read, 0 at the end, below 0 for an error in `errno`.
  static func read(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      #if canImport(Glibc)
        let count = Glibc.read(file, buffer.baseAddress!, buffer.count)
      #elseif canImport(Musl)
        let count = Musl.read(file, buffer.baseAddress!, buffer.count)
      #else
        let count = Darwin.read(file, buffer.baseAddress!, buffer.count)
      #endif
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// `write(2)`: how many bytes were written, below 0 for an error in `errno`.
  static func write(_ file: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    while true {
      #if canImport(Glibc)
        let count = Glibc.write(file, buffer.baseAddress!, buffer.count)
      #elseif canImport(Musl)
        let count = Musl.write(file, buffer.baseAddress!, buffer.count)
      #else
        let count = Darwin.write(file, buffer.baseAddress!, buffer.count)
      #endif
      if count >= 0 || errno != EINTR { return count }
    }
  }
}
