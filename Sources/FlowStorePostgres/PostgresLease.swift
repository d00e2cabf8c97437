#if Network
  import FlowPostgres
  import FlowStore
  import FlowSystem
  import Synchronization

  /// A run that this process holds in a database: for as long as its lease is renewed, which a thread of its own does.
  final class PostgresLease: RunLease {
    let run: String
    let epoch: Int
    let number: Int
    /// How many chunks there are.
    let next: Atomic<Int>
    private let shared: Shared
    private let milliseconds: Int

    /// What the lease and the thread that renews it have in common.
    private final class Shared: Sendable {
      /// Whether somebody else has the run.
      let isFenced = Atomic<Bool>(false)
      /// Whether it need not be renewed any more.
      let isOver = Atomic<Bool>(false)
      /// Whether it must still be given back.
      let isHeld = Atomic<Bool>(true)
      /// When the last renewal that succeeded was sent.
      let sentAt: Mutex<ContinuousClock.Instant>

      init(sentAt: ContinuousClock.Instant) { self.sentAt = Mutex(sentAt) }
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
      self.milliseconds = milliseconds
      shared = Shared(sentAt: sentAt)
      let shared = shared
      do throws(SystemError) {
        try DetachedThread.start(name: "run-lease") {
          Self.renew(shared, number: number, epoch: epoch, address, milliseconds)
        }
      } catch {
        // It lasts as long as it was given for, and whoever takes the run then fences this process.
      }
    }

    /// Half of its length after the last renewal was sent somebody else cannot have it yet, and what runs elsewhere still
    /// has the time to end.
    var isSure: Bool {
      !isFenced && ContinuousClock.now < shared.sentAt.withLock { $0 } + .milliseconds(milliseconds / 2)
    }

    deinit { shared.isOver.store(true, ordering: .relaxed) }

    /// Whether somebody else has the run, as far as the last renewal tells.
    var isFenced: Bool { shared.isFenced.load(ordering: .relaxed) }

    /// Notes that the run's end has been written, which gives it back.
    func finish() {
      shared.isHeld.store(false, ordering: .relaxed)
      shared.isOver.store(true, ordering: .relaxed)
    }

    /// Renews the lease three times in its length. One that has run out because the database was away is renewed all the
    /// same, as long as nobody else has taken the run.
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
          shared.sentAt.withLock { $0 = sent }
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
