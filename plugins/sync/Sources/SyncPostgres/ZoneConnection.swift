#if Network
  import FlowPostgres
  import SyncEngine

  /// A connection to PostgreSQL whose problems are a backend's; see `PostgresConnection`.
  final class ZoneConnection {
    private let connection: PostgresConnection

    /// A part of a transaction met a record that someone has changed meanwhile; nothing was done.
    static let changedMeanwhile = BackendError.unavailable("records were changed meanwhile", retryAfterMilliseconds: 0)

    init(_ information: String, answerMilliseconds: Int = 10_000, onOpen: @escaping @Sendable () -> Void = {}) {
      connection = PostgresConnection(information, answerMilliseconds: answerMilliseconds, onOpen: onOpen)
    }

    /// Runs one statement and gives its rows.
    func run(_ sql: String, _ parameters: [PostgresParameter] = []) throws(BackendError) -> PostgresRows {
      try translated { () throws(PostgresProblem) in try connection.run(sql, parameters) }
    }

    /// Runs statements in one transaction and one round trip, and gives the rows of each.
    func runTogether(_ statements: [PostgresStatement]) throws(BackendError) -> [PostgresRows] {
      try translated { () throws(PostgresProblem) in try connection.runTogether(statements) }
    }

    /// What has been notified within this many milliseconds, as payloads.
    func notifications(waitMilliseconds: Int32) throws(BackendError) -> [String] {
      try translated { () throws(PostgresProblem) in
        try connection.notifications(waitMilliseconds: waitMilliseconds)
      }
    }

    func close() { connection.close() }

    private func translated<Value>(
      _ body: () throws(PostgresProblem) -> Value
    ) throws(BackendError) -> Value {
      do throws(PostgresProblem) {
        return try body()
      } catch {
        switch error {
        case .unreachable(let message): throw .unreachable(message)
        case .timedOut: throw .timedOut
        case .storage(let message): throw .storage(message)
        case .guardFailed: throw Self.changedMeanwhile
        }
      }
    }
  }
#endif
