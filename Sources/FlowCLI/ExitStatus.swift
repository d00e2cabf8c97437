#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The exit codes of `flowrun`, as the README lists them.
enum ExitStatus: Int32 {
  case success = 0
  case failure = 1
  case invalidWorkflow = 2
  case usage = 64
  case gateTimedOut = 124

  /// Ends the process now. Nothing is awaited: steps that ignored their cancellation may still occupy threads.
  func exit() -> Never { Self.exit(rawValue) }

  /// Ends the process now with any code, such as 128 plus a signal's number.
  static func exit(_ code: Int32) -> Never {
    StandardOutput.flush()
    _exit(code)
  }
}

/// Standard output and standard error, written whole lines at a time with `write(2)`.
enum StandardOutput {
  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(1) == 1 }

  /// Whether standard error is a terminal that colors are welcome on.
  static var errorAllowsColor: Bool { isatty(2) == 1 && Environment.allowsColor }

  /// Writes text to standard output.
  static func write(_ text: String) { write(text, to: 1) }

  /// Writes text to standard error.
  static func writeError(_ text: String) { write(text, to: 2) }

  /// Writes bytes to standard output.
  static func write(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { write($0, to: 1) } }

  static func flush() { fflush(nil) }

  private static func write(_ text: String, to file: Int32) {
    var text = text
    text.withUTF8 { write($0, to: file) }
  }

  private static func write(_ buffer: UnsafeBufferPointer<UInt8>, to file: Int32) {
    var rest = UnsafeRawBufferPointer(buffer)
    while !rest.isEmpty {
      let written = SystemCall.write(file, rest)
      if written < 0 {
        if errno == EAGAIN { continue }
        // The reader has gone; there is nobody to tell.
        return
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    }
  }
}
