import Dispatch

/// Monotonic time since the start of one run, in nanoseconds.
struct RunClock: Sendable {
  /// The system's monotonic time at the start of the run.
  let startNanoseconds: UInt64

  /// Starts now.
  init() { startNanoseconds = DispatchTime.now().uptimeNanoseconds }

  /// Nanoseconds since the start.
  var now: Int { Int(DispatchTime.now().uptimeNanoseconds - startNanoseconds) }

  /// The instant so long after the start, for Dispatch.
  func dispatchTime(_ nanoseconds: Int) -> DispatchTime {
    DispatchTime(uptimeNanoseconds: startNanoseconds + UInt64(max(0, nanoseconds)))
  }
}
