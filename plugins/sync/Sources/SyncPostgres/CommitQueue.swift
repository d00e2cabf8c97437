#if Server
  import SyncCore
  import SyncEngine
  import Synchronization

  /// Commits of many callers on one connection: those that come while a transaction is under way wait for it and then go
  /// together in the next one, so that they share its round trips and its wait for the disk. Each caller is answered when
  /// the transaction is durable. At rest a commit goes at once and alone.
  ///
  /// More connections would make it slower: the disk is waited for once for each of them, and each takes fewer commits.
  final class CommitQueue: Sendable {
    /// The most operations in a transaction, beyond those of its first commit.
    private static let operationLimit = SyncLimits.operations

    private let line: Line
    private let places: ZonePlaces
    private let state = Mutex(State())

    private struct State {
      /// In the order in which they came.
      var waiting: [Waiting] = []
      var isWorking = false
      var isStopped = false
    }

    private struct Waiting {
      var request: CommitBatch.Request
      var done: CheckedContinuation<Result<CommitReply, BackendError>, Never>
    }

    /// Commits on this connection, which nobody else uses.
    init(line: Line, places: ZonePlaces) {
      self.line = line
      self.places = places
    }

    /// Waits until the commit is durable.
    func commit(_ request: CommitBatch.Request) async throws(BackendError) -> CommitReply {
      let result = await withCheckedContinuation { done in
        let (isStopped, isFirst) = state.withLock { state in
          if state.isStopped { return (true, false) }
          state.waiting.append(Waiting(request: request, done: done))
          defer { state.isWorking = true }
          return (false, !state.isWorking)
        }
        if isStopped { done.resume(returning: .failure(Self.stopped)) }
        if isFirst { line.submit { [self] connection in work(connection) } }
      }
      return try result.get()
    }

    /// Fails what waits; what is under way is finished.
    func stop() {
      let waiting = state.withLock { state in
        state.isStopped = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for one in waiting { one.done.resume(returning: .failure(Self.stopped)) }
    }

    private static let stopped = BackendError.unreachable("the connection to PostgreSQL has been closed")

    /// One transaction after the other until nobody waits.
    private func work(_ connection: PostgresConnection) {
      while let batch = next() {
        let results = run(batch.map(\.request), on: connection)
        for (one, result) in zip(batch, results) { one.done.resume(returning: result) }
      }
    }

    private func next() -> [Waiting]? {
      state.withLock { state in
        var (count, operations) = (0, 0)
        for one in state.waiting {
          operations += one.request.operations.count
          if count > 0, operations > Self.operationLimit { break }
          count += 1
        }
        if count == 0 {
          state.isWorking = false
          return nil
        }
        defer { state.waiting.removeFirst(count) }
        return Array(state.waiting.prefix(count))
      }
    }

    /// One caller's trouble is his own: when a transaction fails that was made for several, each is made by itself.
    private func run(
      _ requests: [CommitBatch.Request], on connection: PostgresConnection
    ) -> [Result<CommitReply, BackendError>] {
      do throws(BackendError) {
        var batch = CommitBatch(requests, places: places)
        try batch.run(on: connection)
        return batch.replies
      } catch {
        guard requests.count > 1, case .storage = error else { return requests.map { _ in .failure(error) } }
        return requests.flatMap { run([$0], on: connection) }
      }
    }
  }
#endif
