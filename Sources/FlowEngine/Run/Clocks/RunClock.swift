import Dispatch

/// Measures monotonic time since the start of a run, in nanoseconds. It is a class because all threads of a run share
/// it.
final class RunClock: Sendable {
  /// The time of the run's start on the system's monotonic clock, or on the virtual clock.
  let startNanoseconds: UInt64
  /// The virtual clock of a test, or nil to use the system's clock.
  let virtual: VirtualClock?

  /// Creates a clock that starts at 0, or at the time at which an earlier process of the run ended. In the second case,
  /// the start may be earlier than the start of the machine, so sums with it wrap around.
  init(continuingAt nanoseconds: Int = 0, virtual: VirtualClock? = nil) {
    self.virtual = virtual
    let now = virtual.map { UInt64($0.now) } ?? DispatchTime.now().uptimeNanoseconds
    startNanoseconds = now &- UInt64(max(0, nanoseconds))
  }

  /// The time since the start, in nanoseconds.
  var now: Int {
    if let virtual { return Int(UInt64(virtual.now) &- startNanoseconds) }
    return Int(DispatchTime.now().uptimeNanoseconds &- startNanoseconds)
  }

  /// Converts nanoseconds since the start to a time for Dispatch.
  func dispatchTime(_ nanoseconds: Int) -> DispatchTime {
    DispatchTime(uptimeNanoseconds: startNanoseconds &+ UInt64(max(0, nanoseconds)))
  }
}
