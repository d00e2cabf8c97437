import FlowSystem

/// The size of the terminal to which standard output is connected.
struct TerminalSize: Sendable, Equatable {
  var rows: Int
  var columns: Int

  /// The current size. If the terminal does not report it, 24 rows and 80 columns are assumed.
  static var current: TerminalSize {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
      return TerminalSize(rows: 24, columns: 80)
    }
    return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
  }
}
