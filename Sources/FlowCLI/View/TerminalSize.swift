import FlowSystem

/// The size of the terminal that standard output is open on.
struct TerminalSize: Sendable, Equatable {
  var rows: Int
  var columns: Int

  /// The current size, or 24 rows and 80 columns if the terminal does not report it.
  static var current: TerminalSize {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
      return TerminalSize(rows: 24, columns: 80)
    }
    return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
  }
}
