#if Network
  import Foundation
  import SyncCore
  import SyncEngine

  /// Commits of many callers on one connection: those that come while a transaction is under way wait for it and then go
  /// together in the next one, so that they share its round trips and its wait for the disk. Each caller is answered when
  /// the transaction is durable. At rest a commit goes at once and alone.
  ///
  /// Those who have just been answered often come again at once; a transaction waits a moment for them, as otherwise two
  /// halves of the callers would wait for each other's transactions forever.
  final class CommitQueue: Sendable {
    /// The most operations in a transaction, beyond those of its first commit.
    private static let operationLimit = SyncLimits.operations

    private let line: Line
    private let cursors: ZoneCursors
    private let known = KnownRecords()
    private let onChange: @Sendable (CommitBatch.Change) -> Void
    private let state = State()

    /// Proof of safety: every access to the variables holds the lock of `condition`, which is constant.
    private final class State: @unchecked Sendable {
      let condition = NSCondition()
      /// In the order in which they came.
      var waiting: [Waiting] = []
      /// How many make the transaction begin at once.
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

    /// Commits on this connection, which has no other user. `onChange` hears what has become durable, in its order.
    init(line: Line, cursors: ZoneCursors, onChange: @escaping @Sendable (CommitBatch.Change) -> Void) {
      self.line = line
      self.cursors = cursors
      self.onChange = onChange
    }

    /// Waits until the commit is durable.
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

    /// Fails what waits; what is under way is finished.
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

    /// One transaction after the other until none waits.
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
          // A transaction goes alone: what is in its way must not keep others.
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

    /// Whether and how long the next transaction waits for those whom the last one has answered.
    private struct Gathering {
      /// How many the last transaction answered.
      private(set) var callers = 0
      private var seconds = 0.0
      private var skips = 0

      /// At most this share of what a transaction takes, and this long, in seconds.
      private static let share = 0.03
      private static let limit = 0.001
      /// How many transactions do not wait after it was in vain.
      private static let pause = 100

      mutating func answered(_ callers: Int, within duration: Duration) {
        self.callers = callers
        seconds = min(duration / .seconds(1) * Self.share, Self.limit)
      }

      /// Nil for not at all: a caller by himself is never waited for.
      mutating func waitSeconds() -> Double? {
        if skips > 0 { skips -= 1 }
        return callers > 1 && skips == 0 ? seconds : nil
      }

      mutating func came(_ count: Int) { if count * 2 < callers { skips = Self.pause } }
    }

    /// One caller's trouble is his own: when a transaction fails that was made for several, each is made by itself.
    private func run(
      _ requests: [CommitBatch.Request], on connection: ZoneConnection
    ) -> [Result<CommitReply, BackendError>] {
      do throws(BackendError) {
        var batch = CommitBatch(requests, cursors: cursors, known: known)
        // What was made durable before a failure is reported as well.
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
