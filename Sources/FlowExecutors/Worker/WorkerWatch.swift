import FlowModel
import FlowSystem

/// Until when a worker may live: a value without a clock.
struct WorkerLease {
  let silence: Duration
  private var lastPing: ContinuousClock.Instant
  private(set) var end: ContinuousClock.Instant

  /// A worker that begins.
  init(silence: Duration, at now: ContinuousClock.Instant) {
    self.silence = silence
    lastPing = now
    end = now + silence
  }

  /// A ping came. It says that the one before was answered, not when it was sent itself: it may have been held up. So time
  /// counts from the one before, which the host has heard of later than that.
  mutating func notePing(at now: ContinuousClock.Instant) {
    end = lastPing + silence
    lastPing = now
  }
}

/// The guard of a worker, a process of its own: it hears of each ping, and ends the worker when none has come for too long.
/// That holds for a worker that is stopped, too; with the worker its commands end, which ``ProcessGuard`` sees to.
public enum WorkerWatch {
  /// The variable that names the process which started a worker and wants SIGUSR1 when the worker is ended because no ping
  /// came: that it was killed does not tell why.
  static let holderVariable = "FLOWRUN_HOLDER"

  /// The process that the variable names, if it started this one: others inherit the variable.
  static var holder: Int32? {
    let holder = getenv(holderVariable).flatMap { ProcessNumber(String(cString: $0)) }
    return holder?.value == getppid() ? holder?.value : nil
  }

  /// Watches a worker that writes a byte to standard input for each ping; returns when the worker is gone.
  public static func run(worker: Int32, silenceMilliseconds: Int, holder: Int32?) {
    guard let worker = ProcessNumber(exactly: worker)?.value else { return }
    let holder = holder.flatMap { ProcessNumber(exactly: $0)?.value }
    let input = Descriptor(0)
    var lease = WorkerLease(silence: .milliseconds(silenceMilliseconds), at: .now)
    while true {
      let now = ContinuousClock.now
      guard now < lease.end else {
        // Only the worker's own child may: the number is not reused then.
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

/// The worker's side: starts its guard and passes the pings on.
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

  /// Passes a ping on; false when there is no watch any more.
  func ping() -> Bool {
    // A pipe full of pings has the same effect as one more.
    if case .closed = pings.send([1]) { return false }
    return true
  }
}
