import CFlowProcess

extension Descriptor {
  /// Both ends of a new pipe, never among the first three numbers, which a child's own would overwrite.
  package static func pipe() throws(SystemError) -> Pipe {
    var ends: (CInt, CInt) = (-1, -1)
    let failure = withUnsafeMutableBytes(of: &ends) { flow_pipe($0.bindMemory(to: CInt.self).baseAddress) }
    if failure != 0 { throw SystemError("cannot make a pipe", failure) }
    // Both are owned from here on, whatever happens to either.
    let reading = Descriptor(ends.0)
    let writing = Descriptor(ends.1)
    return Pipe(reading: try reading.raised(), writing: try writing.raised())
  }

  /// Reads as empty and swallows what is written, for what a child is not to see.
  package static func null() throws(SystemError) -> Descriptor {
    let number = open("/dev/null", O_RDWR | O_CLOEXEC)
    if number < 0 { throw SystemError("cannot open /dev/null", errno) }
    return try Descriptor(number).raised()
  }

  /// The same file under a number past the first three.
  private consuming func raised() throws(SystemError) -> Descriptor {
    if number > 2 { return self }
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    if copy < 0 { throw SystemError("cannot copy a descriptor", errno) }
    return Descriptor(copy)
  }

  /// The two ends of a pipe.
  package struct Pipe: ~Copyable, Sendable {
    /// What was written comes out here.
    package let reading: Descriptor
    /// What is written here can be read.
    package let writing: Descriptor

    /// Keeps the writing end and closes the other.
    package consuming func takeWriting() -> Descriptor { writing }

    /// Keeps the reading end and closes the other.
    package consuming func takeReading() -> Descriptor { reading }
  }
}

extension Descriptor.Pipe {
  /// Makes reading and writing at both ends return at once instead of waiting.
  package borrowing func setNonBlocking() {
    reading.setNonBlocking()
    writing.setNonBlocking()
  }

  /// Takes out what is in it.
  package borrowing func drain() {
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
      while case .bytes = reading.receive(into: buffer) {}
    }
  }
}
