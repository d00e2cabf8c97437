import CFlowProcess

extension Descriptor {
  /// Creates a pipe. The numbers of its descriptors are above 2, because a child would overwrite the first three with
  /// its own.
  package static func pipe() throws(SystemError) -> Pipe {
    var ends: (CInt, CInt) = (-1, -1)
    let failure = withUnsafeMutableBytes(of: &ends) { flow_pipe($0.bindMemory(to: CInt.self).baseAddress) }
    if failure != 0 { throw SystemError("cannot make a pipe", failure) }
    // From here on, each end has an owner that closes it if an error occurs.
    let reading = Descriptor(ends.0)
    let writing = Descriptor(ends.1)
    return Pipe(reading: try reading.raised(), writing: try writing.raised())
  }

  /// Opens the null device, for a standard stream that a child must not use.
  package static func null() throws(SystemError) -> Descriptor {
    let number = open("/dev/null", O_RDWR | O_CLOEXEC)
    if number < 0 { throw SystemError("cannot open /dev/null", errno) }
    return try Descriptor(number).raised()
  }

  /// Returns the same file with a descriptor above the first three.
  private consuming func raised() throws(SystemError) -> Descriptor {
    if number > 2 { return self }
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    if copy < 0 { throw SystemError("cannot copy a descriptor", errno) }
    return Descriptor(copy)
  }

  package struct Pipe: ~Copyable, Sendable {
    package let reading: Descriptor
    package let writing: Descriptor

    /// Returns the writing end and closes the reading end.
    package consuming func takeWriting() -> Descriptor { writing }

    /// Returns the reading end and closes the writing end.
    package consuming func takeReading() -> Descriptor { reading }
  }
}

extension Descriptor.Pipe {
  /// Makes reads and writes at both ends return immediately instead of blocking.
  package borrowing func setNonBlocking() {
    reading.setNonBlocking()
    writing.setNonBlocking()
  }

  /// Reads and discards everything that the pipe contains.
  package borrowing func drain() {
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
      while case .bytes = reading.receive(into: buffer) {}
    }
  }
}
