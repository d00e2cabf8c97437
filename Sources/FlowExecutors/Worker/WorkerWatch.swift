import FlowModel
import FlowSystem

/// Computes the time until which a worker may run without another ping. It does not read a clock.
struct WorkerLease {
  let silence: Duration
  private var lastPing: ContinuousClock.Instant
  private(set) var end: ContinuousClock.Instant

  init(silence: Duration, at now: ContinuousClock.Instant) {
    self.silence = silence
    lastPing = now
    end = now + silence
  }

  /// Records a ping. The ping may have been delayed, so the time does not count from its arrival. It counts from the
  /// arrival of the previous ping, because the host sends a ping only after it has received the answer to the previous
  /// one.
  mutating func notePing(at now: ContinuousClock.Instant) {
    end = lastPing + silence
    lastPing = now
  }
}

/// The guard of a worker: a separate process that receives each ping. It kills the worker if no ping arrives for too
/// long, even if the worker is suspended. ``ProcessGuard`` ensures that the worker's commands end with it.
package enum WorkerWatch {
  /// The variable with the process number of the script that started a worker. The guard sends SIGUSR1 to the script
  /// when it kills the worker because of missing pings, which the exit status would not show.
  static let holderVariable = "FLOWRUN_HOLDER"

  /// The process number in ``holderVariable`` if that process is the parent of this one. Nil if the variable was
  /// inherited from another process.
  static var holder: Int32? {
    let holder = getenv(holderVariable).flatMap { ProcessNumber(String(cString: $0)) }
    return holder?.value == getppid() ? holder?.value : nil
  }

  /// Watches a worker, which writes a byte to the guard's standard input for each ping. Kills the worker if no ping
  /// arrives in time. Returns when the worker has ended or was killed.
  package static func run(worker: Int32, silenceMilliseconds: Int, holder: Int32?) {
    guard let worker = ProcessNumber(exactly: worker)?.value else { return }
    let holder = holder.flatMap { ProcessNumber(exactly: $0)?.value }
    let input = Descriptor(0)
    var lease = WorkerLease(silence: .milliseconds(silenceMilliseconds), at: .now)
    while true {
      let now = ContinuousClock.now
      guard now < lease.end else {
        // Kill the worker only if this process is its child: its process number cannot have been reused then.
        if getppid() == worker {
          if let holder, ProcessTable.entry(of: worker)?.parent == holder { kill(holder, SIGUSR1) }
          kill(worker, SIGKILL)
        }
        return
      }
      var interest = pollfd(fd: input.number, events: Int16(POLLIN), revents: 0)
      let wait = ((lease.end - now).nanoseconds + 999_999) / 1_000_000
      guard poll(&interest, 1, CInt(clamping: wait)) > 0 else { continue }
      let isOver = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
        if case .bytes = input.receive(into: buffer) { false } else { true }
      }
      if isOver { return }
      lease.notePing(at: .now)
    }
  }
}

/// The worker's handle on its guard. Starts the guard and forwards pings to it.
final class WatchedWorker: Sendable {
  private let group: ProcessGroup
  private let pings: Descriptor

  init(program: String, silenceMilliseconds: Int, holder: Int32?) throws(SystemError) {
    let pipe = try Descriptor.pipe()
    let null = try Descriptor.null()
    group = try ProcessGroup(
      Program(
        [program, "worker", "--watch", "\(getpid())", "--silence", "\(silenceMilliseconds)"]
          + (holder.map { ["--holder", "\($0)"] } ?? []), environment: [:], folder: "/"),
      input: pipe.reading.number, output: null.number, errors: null.number)
    pings = pipe.takeWriting()
    pings.setNonBlocking()
  }

  /// Forwards a ping to the guard. Returns false if the guard has ended.
  func ping() -> Bool {
    // If the pipe is full, the guard has unread pings, so another one would make no difference.
    if case .closed = pings.send([1]) { return false }
    return true
  }
}
