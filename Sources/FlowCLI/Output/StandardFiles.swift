import FlowSystem

enum StandardFiles {
  /// Opens `/dev/null` for each standard stream that is closed when the process starts. Otherwise, a file that is
  /// opened later could become standard output. Using such a stream still fails as if it were closed.
  static func open() {
    for descriptor in [Int32(0), 1, 2] where fcntl(descriptor, F_GETFD) < 0 {
      // All lower descriptors are open, so `open` returns exactly this one.
      _ = openNothing(descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

private func openNothing(_ flags: Int32) -> Int32 { open("/dev/null", flags) }
