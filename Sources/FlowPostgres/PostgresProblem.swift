#if Network
  /// An error of PostgreSQL, or of the connection to it.
  package enum PostgresProblem: Error, Sendable, Hashable {
    /// There is no connection, or it broke. The statements may have been executed.
    case unreachable(String)
    /// There was no answer in time. The statements may have been executed.
    case timedOut
    /// PostgreSQL refused a statement. The transaction was not executed.
    case storage(String)
    /// A statement divided by zero, which is how a transaction reports that its condition is not met. The transaction
    /// was not executed.
    case guardFailed

    /// A human-readable description of the error.
    package var message: String {
      switch self {
      case .unreachable(let message), .storage(let message): message
      case .timedOut: "PostgreSQL does not answer"
      case .guardFailed: "a condition of the transaction did not hold"
      }
    }
  }
#endif
