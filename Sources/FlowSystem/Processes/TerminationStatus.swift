/// The end of a child: its exit status, or the signal that ended it.
package enum TerminationStatus: Sendable, Hashable, CustomStringConvertible {
  case exited(code: CInt)
  case signaled(number: CInt)

  /// Converts the status that `waitpid` returns.
  package init(waitStatus: CInt) {
    let signal = waitStatus & 0x7F
    self = signal == 0 ? .exited(code: (waitStatus >> 8) & 0xFF) : .signaled(number: signal)
  }

  /// A description such as `ended with exit status 3` or `was ended by signal 9`.
  package var description: String {
    switch self {
    case .exited(let code): "ended with exit status \(code)"
    case .signaled(let number): "was ended by signal \(number)"
    }
  }
}
