#if Network
  import Foundation
  import SyncCore
  import SyncEngine

  /// Processes the commits of many callers on one connection. Commits that arrive during a transaction share the next
  /// one, with its round trips and its wait for the disk. Each caller gets its response once its transaction is
  /// durable. A single commit starts immediately.
  ///
  /// Callers that have just received a response often commit again immediately, so the next transaction waits for them
  /// briefly. Otherwise, the callers would split into two groups whose transactions alternate.
  final class CommitQueue: Sendable {
    /// The maximum number of operations in a transaction. Its first commit may have more.
    private static let operationLimit = SyncLimits.operations

    private let line: Line
    private let cursors: ZoneCursors
    private let known = KnownRecords()
    private let onChange: @Sendable (CommitBatch.Change) -> Void
    private let state = State()

    /// Proof of safety: every access to the variables holds the lock of `condition`, which is constant.
    private final class State: @unchecked Sendable {
      let condition = NSCondition()
      /// The waiting commits in the order of their arrival.
      var waiting: [Waiting] = []
      /// The number of waiting commits at which a transaction stops gathering and starts.
      var enough = 0
      var isWorking = false
      var isStopped = false

      func withLock<Value>(_ body: (State) -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        return body(self)
      }
    }

    private struct Waiting {
      var request: CommitBatch.Request
      var done: CheckedContinuation<Result<CommitReply, BackendError>, Never>
    }

    /// Creates a queue on a connection that it does not share. `onChange` is called with all durable changes, in order.
    init(line: Line, cursors: ZoneCursors, onChange: @escaping @Sendable (CommitBatch.Change) -> Void) {
      self.line = line
      self.cursors = cursors
      self.onChange = onChange
    }

    func commit(_ request: CommitBatch.Request) async throws(BackendError) -> CommitReply {
      let result = await withCheckedContinuation { done in
        let (isStopped, isFirst) = state.withLock { state in
          if state.isStopped { return (true, false) }
          state.waiting.append(Waiting(request: request, done: done))
          if state.waiting.count == state.enough { state.condition.signal() }
          defer { state.isWorking = true }
          return (false, !state.isWorking)
        }
        if isStopped { done.resume(returning: .failure(Self.stopped)) }
        if isFirst { line.submit { [self] connection in work(connection) } }
      }
      return try result.get()
    }

    /// Fails all waiting commits. A running transaction is completed.
    func stop() {
      let waiting = state.withLock { state in
        state.isStopped = true
        state.condition.signal()
        defer { state.waiting = [] }
        return state.waiting
      }
      for one in waiting { one.done.resume(returning: .failure(Self.stopped)) }
    }

    private static let stopped = BackendError.unreachable("the connection to PostgreSQL has been closed")

    /// Runs transactions until no commit is waiting.
    private func work(_ connection: ZoneConnection) {
      var gathering = Gathering()
      while let batch = next(&gathering) {
        let began = ContinuousClock.now
        let results = run(batch.map(\.request), on: connection)
        gathering.answered(batch.count, within: began.duration(to: .now))
        for (one, result) in zip(batch, results) { one.done.resume(returning: result) }
      }
    }

    private func next(_ gathering: inout Gathering) -> [Waiting]? {
      state.withLock { state in
        if let seconds = gathering.waitSeconds() {
          let before = state.waiting.count
          state.enough = before + gathering.callers
          let end = Date(timeIntervalSinceNow: seconds)
          while state.waiting.count < state.enough, !state.isStopped, state.condition.wait(until: end) {}
          state.enough = 0
          gathering.came(state.waiting.count - before)
        }
        var (count, operations) = (0, 0)
        for one in state.waiting {
          // A commit with a transaction runs on its own, so that a conflict in it does not delay other commits.
          if one.request.isTransaction {
            count = max(count, 1)
            break
          }
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

    /// Decides how long the next transaction waits for the callers of the previous one.
    private struct Gathering {
      /// The number of callers in the previous transaction.
      private(set) var callers = 0
      private var seconds = 0.0
      private var skips = 0

      /// The maximum wait, as a share of the previous transaction's duration and in seconds.
      private static let share = 0.03
      private static let limit = 0.001
      /// Of the transactions after a useless wait, the one with this number is the first to wait again.
      private static let pause = 100

      mutating func answered(_ callers: Int, within duration: Duration) {
        self.callers = callers
        seconds = min(duration / .seconds(1) * Self.share, Self.limit)
      }

      /// Returns the wait in seconds. Returns nil for a single caller, and for a number of transactions after a useless
      /// wait.
      mutating func waitSeconds() -> Double? {
        if skips > 0 { skips -= 1 }
        return callers > 1 && skips == 0 ? seconds : nil
      }

      mutating func came(_ count: Int) { if count * 2 < callers { skips = Self.pause } }
    }

    /// Commits for several callers. If the database reports an error, each commit is repeated separately, so that a
    /// problem of one caller does not affect the others.
    private func run(
      _ requests: [CommitBatch.Request], on connection: ZoneConnection
    ) -> [Result<CommitReply, BackendError>] {
      do throws(BackendError) {
        var batch = CommitBatch(requests, cursors: cursors, known: known)
        // Changes that became durable before the failure are reported, too.
        defer { for change in batch.changes { onChange(change) } }
        try batch.run(on: connection)
        return batch.replies
      } catch {
        guard requests.count > 1, case .storage = error else { return requests.map { _ in .failure(error) } }
        return requests.flatMap { run([$0], on: connection) }
      }
    }
  }
#endif
