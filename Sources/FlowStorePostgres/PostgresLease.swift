#if Network
  import FlowPostgres
  import FlowStore
  import FlowPlatform
  import Synchronization

  /// The term of a lease. It is a value without a clock, so that tests can choose the time.
  struct LeaseTerm {
    /// The time for which the database reserves the run for this process.
    let length: Duration
    /// The time at which the last successful renewal was sent.
    var sentAt: ContinuousClock.Instant

    /// True if the process may start and continue bodies. That is so for half of the term after the renewal was sent.
    /// In the other half, bodies are stopped here and on workers.
    func isSure(at now: ContinuousClock.Instant) -> Bool { now < sentAt + length / 2 }
  }

  /// The lease of a run in a database. A separate thread renews it.
  final class PostgresLease: RunLease {
    let run: String
    let epoch: Int
    let number: Int
    /// The number of chunks in the run's journal.
    let next: Atomic<Int>
    private let shared: Shared

    /// The state that the lease shares with the thread that renews it.
    private final class Shared: Sendable {
      /// True if another process has taken over the run.
      let isFenced = Atomic<Bool>(false)
      /// True if the lease need not be renewed any longer.
      let isOver = Atomic<Bool>(false)
      /// True if the lease must still be released.
      let isHeld = Atomic<Bool>(true)
      let term: Mutex<LeaseTerm>

      init(_ term: LeaseTerm) { self.term = Mutex(term) }
    }

    /// The interval at which the thread checks whether the run has ended.
    private static let napMicroseconds: useconds_t = 50_000

    /// Creates a lease that was requested at `sentAt`. Its term counts from then.
    init(
      run: String, epoch: Int, number: Int, next: Int, address: String, milliseconds: Int,
      sentAt: ContinuousClock.Instant
    ) {
      self.run = run
      self.epoch = epoch
      self.number = number
      self.next = Atomic(next)
      shared = Shared(LeaseTerm(length: .milliseconds(milliseconds), sentAt: sentAt))
      let shared = shared
      do throws(SystemError) {
        try DetachedThread.start(name: "run-lease") {
          Self.renew(shared, number: number, epoch: epoch, address, milliseconds)
        }
      } catch {
        // Without the thread, the lease expires after its term, and a process that takes over the run fences this one.
      }
    }

    /// True if no other process can have the lease, and bodies still have time to end before one can.
    var isSure: Bool { !isFenced && shared.term.withLock { $0.isSure(at: .now) } }

    deinit { shared.isOver.store(true, ordering: .relaxed) }

    /// True if the last renewal failed because another process has taken over the run.
    var isFenced: Bool { shared.isFenced.load(ordering: .relaxed) }

    /// Records that the end of the run has been written, which has released the lease.
    func finish() {
      shared.isHeld.store(false, ordering: .relaxed)
      shared.isOver.store(true, ordering: .relaxed)
    }

    /// Renews the lease three times per term until the run has ended, and then releases it if necessary. Stops if
    /// another process has taken over the run. A lease that has expired because the database was unavailable is renewed
    /// too.
    private static func renew(_ shared: Shared, number: Int, epoch: Int, _ address: String, _ milliseconds: Int) {
      let connection = PostgresConnection(address, answerMilliseconds: max(1000, milliseconds))
      var due = ContinuousClock.now + .milliseconds(milliseconds / 3)
      while !shared.isOver.load(ordering: .relaxed) {
        usleep(napMicroseconds)
        guard ContinuousClock.now >= due else { continue }
        due = .now + .milliseconds(milliseconds / 3)
        let sent = ContinuousClock.now
        let rows = try? connection.run(
          """
          UPDATE flowrun_run SET lease_until = clock_timestamp() + $3::int8 * interval '1 millisecond'
          WHERE number = $1::int8 AND epoch = $2::int8 RETURNING 1
          """, [.integer(Int64(number)), .integer(Int64(epoch)), .integer(Int64(milliseconds))])
        if let rows, rows.count == 0 { return shared.isFenced.store(true, ordering: .relaxed) }
        if rows != nil {
          shared.term.withLock { $0.sentAt = sent }
        } else {
          // Steps wait for the renewal, so it is tried again soon.
          due = min(due, .now + .seconds(1))
        }
      }
      guard shared.isHeld.load(ordering: .relaxed) else { return }
      _ = try? connection.run(
        "UPDATE flowrun_run SET lease_until = NULL WHERE number = $1::int8 AND epoch = $2::int8 AND state = 'running'",
        [.integer(Int64(number)), .integer(Int64(epoch))])
    }
  }
#endif
