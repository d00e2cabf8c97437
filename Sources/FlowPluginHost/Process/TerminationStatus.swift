/// How a child ended.
enum TerminationStatus: Sendable, Hashable, CustomStringConvertible {
  case exited(code: CInt)
  case signalled(number: CInt)

  /// Reads what `waitpid` reports.
  init(waitStatus: CInt) {
    let signal = waitStatus & 0x7F
    self = signal == 0 ? .exited(code: (waitStatus >> 8) & 0xFF) : .signalled(number: signal)
  }

  /// `ended with exit status 3`, `was ended by signal 9`.
  var description: String {
    switch self {
    case .exited(let code): "ended with exit status \(code)"
    case .signalled(let number): "was ended by signal \(number)"
    }
  }
}
