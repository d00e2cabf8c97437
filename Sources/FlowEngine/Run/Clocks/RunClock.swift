import Dispatch

/// Monotonic time since the start of one run, in nanoseconds.
struct RunClock: Sendable {
  /// The system's monotonic time at the start of the run.
  let startNanoseconds: UInt64

  /// Starts now, or continues from an instant: that of a run whose process was another. Its start may then lie before that
  /// of the machine, so sums with it wrap around.
  init(continuingAt nanoseconds: Int = 0) {
    startNanoseconds = DispatchTime.now().uptimeNanoseconds &- UInt64(max(0, nanoseconds))
  }

  /// Nanoseconds since the start.
  var now: Int { Int(DispatchTime.now().uptimeNanoseconds &- startNanoseconds) }

  /// The instant so long after the start, for Dispatch.
  func dispatchTime(_ nanoseconds: Int) -> DispatchTime {
    DispatchTime(uptimeNanoseconds: startNanoseconds &+ UInt64(max(0, nanoseconds)))
  }
}
