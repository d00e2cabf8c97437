#if Network
  import FlowPlatform
  import FlowPostgres
  import SyncEngine

  /// A connection and the thread that uses it.
  ///
  /// Proof of safety: `connection` is used only by jobs of `worker`, which run one after the other on its thread.
  final class Line: @unchecked Sendable {
    private let worker: BlockingWorker
    private let connection: ZoneConnection

    init(
      name: String, _ information: String, answerMilliseconds: Int = 10_000, settings: String? = nil,
      onOpen: @escaping @Sendable () -> Void = {}
    ) {
      worker = BlockingWorker(name: name)
      connection = ZoneConnection(
        PostgresConnection(information, answerMilliseconds: answerMilliseconds, settings: settings, onOpen: onOpen))
    }

    var load: Int { worker.load }

    func perform<Value: Sendable>(
      _ body: @escaping @Sendable (ZoneConnection) throws(BackendError) -> Value
    ) async throws(BackendError) -> Value {
      do {
        return try await worker.perform { [self] in try body(connection) }
      } catch let error as BackendError {
        throw error
      } catch {
        throw .unreachable("the connection to PostgreSQL has been closed")
      }
    }

    /// Calls `body` with the connection after all earlier calls, or not at all if the line has been stopped before.
    func submit(_ body: @escaping @Sendable (ZoneConnection) -> Void) {
      worker.submit { [self] mayRun in if mayRun { body(connection) } }
    }

    func stop() { worker.stop() }
  }

  /// A connection to PostgreSQL that throws `BackendError`; see `PostgresConnection`.
  final class ZoneConnection {
    private let connection: PostgresConnection

    /// Thrown if a condition of a statement was not met, usually because another commit has changed a record meanwhile.
    /// The transaction then had no effect.
    static let changedMeanwhile = BackendError.unavailable("records were changed meanwhile", retryAfterMilliseconds: 0)

    fileprivate init(_ connection: PostgresConnection) { self.connection = connection }

    func run(_ sql: String, _ parameters: [PostgresParameter] = []) throws(BackendError) -> PostgresRows {
      try translated { () throws(PostgresProblem) in try connection.run(sql, parameters) }
    }

    /// Runs statements in one transaction and one round trip. Returns the rows of each statement.
    func runTogether(_ statements: [PostgresStatement]) throws(BackendError) -> [PostgresRows] {
      try translated { () throws(PostgresProblem) in try connection.runTogether(statements) }
    }

    /// Waits for notifications for up to `waitMilliseconds` and returns their payloads.
    func notifications(waitMilliseconds: Int32) throws(BackendError) -> [String] {
      try translated { () throws(PostgresProblem) in
        try connection.notifications(waitMilliseconds: waitMilliseconds)
      }
    }

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
