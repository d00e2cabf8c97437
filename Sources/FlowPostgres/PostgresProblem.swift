#if Network
  /// Why PostgreSQL did not do what it was asked.
  package enum PostgresProblem: Error, Sendable, Hashable {
    /// There is no connection, or it broke: it is not known what was done.
    case unreachable(String)
    /// No answer came in time: it is not known what was done.
    case timedOut
    /// PostgreSQL says no: nothing was done.
    case storage(String)
    /// A statement divided by zero: so statements of a transaction say that it must not be done. Nothing was done.
    case guardFailed

    /// What went wrong, in words.
    package var message: String {
      switch self {
      case .unreachable(let message), .storage(let message): message
      case .timedOut: "PostgreSQL does not answer"
      case .guardFailed: "a condition of the transaction did not hold"
      }
    }
  }
#endif
