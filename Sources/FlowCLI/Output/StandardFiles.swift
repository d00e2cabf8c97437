import FlowSystem

/// The files that a process begins with.
enum StandardFiles {
  /// Fills the places of standard files that the process was started without, so that no file which is opened later gets
  /// written to as standard output; using one fails as it does when it is closed.
  static func open() {
    for descriptor in [Int32(0), 1, 2] where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one: those below it are open.
      _ = openNothing(descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

private func openNothing(_ flags: Int32) -> Int32 { open("/dev/null", flags) }
