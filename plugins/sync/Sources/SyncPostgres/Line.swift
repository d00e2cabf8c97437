#if Network
  import FlowPlatform
  import SyncEngine

  /// A connection and the thread that alone uses it.
  ///
  /// Proof of safety: `connection` is used by jobs of `worker` alone, which run one after the other on its thread.
  final class Line: @unchecked Sendable {
    private let worker: BlockingWorker
    private let connection: ZoneConnection

    init(
      name: String, _ information: String, answerMilliseconds: Int, onOpen: @escaping @Sendable () -> Void
    ) {
      worker = BlockingWorker(name: name)
      connection = ZoneConnection(information, answerMilliseconds: answerMilliseconds, onOpen: onOpen)
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

    /// Lets the body use the connection when the bodies before it have ended; not at all once the line is stopped.
    func submit(_ body: @escaping @Sendable (ZoneConnection) -> Void) {
      worker.submit { [self] mayRun in if mayRun { body(connection) } }
    }

    func stop() { worker.stop() }
  }
#endif
