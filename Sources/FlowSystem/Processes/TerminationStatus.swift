/// How a child ended.
package enum TerminationStatus: Sendable, Hashable, CustomStringConvertible {
  /// By itself.
  case exited(code: CInt)
  /// By a signal.
  case signaled(number: CInt)

  /// Reads what `waitpid` reports.
  package init(waitStatus: CInt) {
    let signal = waitStatus & 0x7F
    self = signal == 0 ? .exited(code: (waitStatus >> 8) & 0xFF) : .signaled(number: signal)
  }

  /// `ended with exit status 3`, `was ended by signal 9`.
  package var description: String {
    switch self {
    case .exited(let code): "ended with exit status \(code)"
    case .signaled(let number): "was ended by signal \(number)"
    }
  }
}
