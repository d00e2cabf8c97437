import FlowModel
import FlowSystem

/// The time until which a worker may live: a value without a clock.
struct WorkerLease {
  let silence: Duration
  private var lastPing: ContinuousClock.Instant
  private(set) var end: ContinuousClock.Instant

  /// Creates the lease of a new worker.
  init(silence: Duration, at now: ContinuousClock.Instant) {
    self.silence = silence
    lastPing = now
    end = now + silence
  }

  /// Records a ping. It shows that the previous ping was answered, but not when it was sent, because it may have been
  /// delayed. So time counts from the previous ping, whose answer the host received later than that.
  mutating func notePing(at now: ContinuousClock.Instant) {
    end = lastPing + silence
    lastPing = now
  }
}

/// The guard of a worker, a separate process: it is notified of each ping and ends the worker if none arrives for too
/// long, even if the worker is stopped. The worker's commands end with it, which ``ProcessGuard`` ensures.
public enum WorkerWatch {
  /// The variable with the number of the process that started a worker. It gets SIGUSR1 when the worker is ended for
  /// lack of pings, because the kill alone does not show the reason.
  static let holderVariable = "FLOWRUN_HOLDER"

  /// The process in the variable if it started this one, because other processes inherit the variable.
  static var holder: Int32? {
    let holder = getenv(holderVariable).flatMap { ProcessNumber(String(cString: $0)) }
    return holder?.value == getppid() ? holder?.value : nil
  }

  /// Watches a worker that writes a byte to standard input for each ping; returns when the worker has ended.
  public static func run(worker: Int32, silenceMilliseconds: Int, holder: Int32?) {
    guard let worker = ProcessNumber(exactly: worker)?.value else { return }
    let holder = holder.flatMap { ProcessNumber(exactly: $0)?.value }
    let input = Descriptor(0)
    var lease = WorkerLease(silence: .milliseconds(silenceMilliseconds), at: .now)
    while true {
      let now = ContinuousClock.now
      guard now < lease.end else {
        // Only for the worker's own child, because the number is not reused then.
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

/// The worker's side: starts its guard and forwards the pings.
final class WatchedWorker: Sendable {
  private let group: ProcessGroup
  private let pings: Descriptor

  /// Starts the guard; `program` is the worker's own.
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

  /// Forwards a ping; returns false if the guard has ended.
  func ping() -> Bool {
    // A pipe full of pings has the same effect as one more.
    if case .closed = pings.send([1]) { return false }
    return true
  }
}
