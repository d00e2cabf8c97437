import FlowSystem

enum StandardFiles {
  /// Opens `/dev/null` for standard files that the process was started without, so that a file opened later does not
  /// become standard output. Using these files fails as if they were closed.
  static func open() {
    for descriptor in [Int32(0), 1, 2] where fcntl(descriptor, F_GETFD) < 0 {
      // This is the lowest free descriptor, because all lower ones are open.
      _ = openNothing(descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

private func openNothing(_ flags: Int32) -> Int32 { open("/dev/null", flags) }
