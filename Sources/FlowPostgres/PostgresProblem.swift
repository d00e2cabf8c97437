#if Network
  /// An error of PostgreSQL or of the connection to it.
  package enum PostgresProblem: Error, Sendable, Hashable {
    /// There is no connection, or it broke; the statements may have been executed.
    case unreachable(String)
    /// There was no answer in time; the statements may have been executed.
    case timedOut
    /// PostgreSQL refused a statement; the transaction was not executed.
    case storage(String)
    /// A statement divided by zero, by which a transaction reports that its condition is not met. It was not executed.
    case guardFailed

    /// The message of the error.
    package var message: String {
      switch self {
      case .unreachable(let message), .storage(let message): message
      case .timedOut: "PostgreSQL does not answer"
      case .guardFailed: "a condition of the transaction did not hold"
      }
    }
  }
#endif
