import CFlowProcess

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open file that is closed with its only owner, never inherited by a child; a negative number is none.
struct Descriptor: ~Copyable, Sendable {
  let number: CInt

  init(_ number: CInt) { self.number = number }

  deinit { if number >= 0 { _ = close(number) } }

  /// Makes reading and writing return at once instead of waiting.
  func setNonBlocking() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }

  /// Both ends of a new pipe, never among the first three numbers, which a child's own would overwrite.
  static func pipe() throws(SystemError) -> Pipe {
    var ends: [CInt] = [-1, -1]
    let failure = flow_pipe(&ends)
    if failure != 0 { throw SystemError("cannot make a pipe", failure) }
    return Pipe(reading: try raised(ends[0]), writing: try raised(ends[1]))
  }

  /// Reads as empty and swallows what is written, for what a child is not to see.
  static func null() throws(SystemError) -> Descriptor {
    let number = open("/dev/null", O_RDWR | O_CLOEXEC)
    if number < 0 { throw SystemError("cannot open /dev/null", errno) }
    return try raised(number)
  }

  private static func raised(_ number: CInt) throws(SystemError) -> Descriptor {
    if number > 2 { return Descriptor(number) }
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    _ = close(number)
    if copy < 0 { throw SystemError("cannot copy a descriptor", errno) }
    return Descriptor(copy)
  }

  /// The two ends of a pipe.
  struct Pipe: ~Copyable {
    let reading: Descriptor
    let writing: Descriptor
  }
}

/// A system call that failed.
struct SystemError: Error, Sendable, CustomStringConvertible {
  /// What was tried.
  let attempt: String
  /// The number the system gave.
  let number: CInt

  init(_ attempt: String, _ number: CInt) {
    self.attempt = attempt
    self.number = number
  }

  /// The system's own words for the number.
  var reason: String { String(cString: strerror(number)) }

  var description: String { "\(attempt): \(reason)" }
}
