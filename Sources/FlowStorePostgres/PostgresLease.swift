#if Network
  import FlowPostgres
  import FlowStore
  import FlowPlatform
  import Synchronization

  /// How long a lease is safe: a value without a clock.
  struct LeaseTerm {
    /// How long the database gives the run to this process.
    let length: Duration
    /// When the last renewal that succeeded was sent.
    var sentAt: ContinuousClock.Instant

    /// Whether the process may begin and continue bodies: until half of the length after the renewal was sent. The other half
    /// is the time in which they end, here and on workers.
    func isSure(at now: ContinuousClock.Instant) -> Bool { now < sentAt + length / 2 }
  }

  /// A run that this process holds in a database: for as long as its lease is renewed, which a thread of its own does.
  final class PostgresLease: RunLease {
    let run: String
    let epoch: Int
    let number: Int
    /// The number of chunks.
    let next: Atomic<Int>
    private let shared: Shared

    /// What the lease and the thread that renews it have in common.
    private final class Shared: Sendable {
      /// Whether someone else has the run.
      let isFenced = Atomic<Bool>(false)
      /// Whether it need not be renewed any more.
      let isOver = Atomic<Bool>(false)
      /// Whether it must still be returned.
      let isHeld = Atomic<Bool>(true)
      /// How long the lease is safe.
      let term: Mutex<LeaseTerm>

      init(_ term: LeaseTerm) { self.term = Mutex(term) }
    }

    /// How often the thread looks whether the run is over.
    private static let napMicroseconds: useconds_t = 50_000

    /// A lease that was asked for at `sentAt`: it lasts since then at the earliest.
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
        // It lasts as long as it was given for, and anyone who takes the run then fences this process.
      }
    }

    /// Whether no other process can have the run, and what runs still has the time to end before one can.
    var isSure: Bool { !isFenced && shared.term.withLock { $0.isSure(at: .now) } }

    deinit { shared.isOver.store(true, ordering: .relaxed) }

    /// Whether someone else has the run, as far as the last renewal tells.
    var isFenced: Bool { shared.isFenced.load(ordering: .relaxed) }

    /// Notes that the run's end has been written, which gives it back.
    func finish() {
      shared.isHeld.store(false, ordering: .relaxed)
      shared.isOver.store(true, ordering: .relaxed)
    }

    /// Renews the lease three times in its length. One that has run out because the database was away is renewed all the
    /// same, as long as no other process has taken the run.
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
          // Steps wait for it.
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
