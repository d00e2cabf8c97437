import FlowSystem

/// How large the terminal behind standard output is.
struct TerminalSize: Sendable, Equatable {
  var rows: Int
  var columns: Int

  /// The size now; of a terminal that does not tell, the usual one.
  static var current: TerminalSize {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
      return TerminalSize(rows: 24, columns: 80)
    }
    return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
  }
}
