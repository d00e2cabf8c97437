#if Server
  import SyncBlocking
  import SyncCore
  import SyncEngine
  import Synchronization

  /// Commits of many callers on a few connections: those that come while a transaction is under way wait for it and then go
  /// together in the next one, so that they share its round trips and its wait for the disk. Each caller is answered when
  /// the transaction is durable. At rest a commit goes at once and alone.
  ///
  /// A zone is in one transaction at a time; commits of one zone are made in the order in which they came.
  final class CommitQueue: Sendable {
    /// The most operations in a transaction, beyond those of its first commit.
    private static let operationLimit = SyncLimits.operations

    private let state: Mutex<State>
    private let places: ZonePlaces

    private struct State {
      var waiting: [Waiting] = []
      var zonesUnderWay: Set<String> = []
      var idle: [Line]
      var isStopped = false
    }

    private struct Waiting {
      var request: CommitBatch.Request
      var done: CheckedContinuation<Result<CommitReply, BackendError>, Never>
    }

    /// Commits on these connections, which nobody else uses.
    init(lines: [Line], places: ZonePlaces) {
      state = Mutex(State(idle: lines))
      self.places = places
    }

    /// Waits until the commit is durable.
    func commit(_ request: CommitBatch.Request) async throws(BackendError) -> CommitReply {
      let result = await withCheckedContinuation { done in
        let line = state.withLock { state -> Line?? in
          if state.isStopped { return nil }
          state.waiting.append(Waiting(request: request, done: done))
          return .some(state.zonesUnderWay.contains(request.zone) ? nil : state.idle.popLast())
        }
        guard let line else {
          done.resume(returning: .failure(Self.stopped))
          return
        }
        if let line { begin(line) }
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

    /// Lets a line work until nothing is left that it could do.
    private func begin(_ line: Line) {
      line.submit { [self] connection in
        while let batch = next(line) {
          let results = run(batch.map(\.request), on: connection)
          state.withLock { state in for one in batch { state.zonesUnderWay.remove(one.request.zone) } }
          for (one, result) in zip(batch, results) { one.done.resume(returning: result) }
        }
      }
    }

    /// The next transaction's commits; the line is idle again when there are none. When more are left than go together,
    /// another line begins with them.
    private func next(_ line: Line) -> [Waiting]? {
      let (batch, other) = state.withLock { state -> ([Waiting]?, Line?) in
        var (batch, rest): ([Waiting], [Waiting]) = ([], [])
        var zones: Set<String> = []
        var (operations, isMoreLeft) = (0, false)
        for one in state.waiting {
          let isFree = !state.zonesUnderWay.contains(one.request.zone)
          let fits = batch.isEmpty || operations + one.request.operations.count <= Self.operationLimit
          if isFree, fits, !isMoreLeft {
            batch.append(one)
            zones.insert(one.request.zone)
            operations += one.request.operations.count
          } else {
            // What does not fit holds back what came after it, so that nothing is overtaken for ever.
            isMoreLeft = isMoreLeft || isFree
            rest.append(one)
          }
        }
        state.waiting = rest
        if batch.isEmpty {
          state.idle.append(line)
          return (nil, nil)
        }
        state.zonesUnderWay.formUnion(zones)
        let isWork = rest.contains { !state.zonesUnderWay.contains($0.request.zone) }
        return (batch, isWork ? state.idle.popLast() : nil)
      }
      if let other { begin(other) }
      return batch
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
