import Dispatch

/// Monotonic time since the start of one run, in nanoseconds. A class, because every thread of a run refers to it.
final class RunClock: Sendable {
  /// The system's monotonic time at the start of the run, or the virtual clock's.
  let startNanoseconds: UInt64
  /// The virtual clock of a test, or nil for the system's time.
  let virtual: VirtualClock?

  /// Starts at 0, or continues a run of another process at an instant. The start may then be before that of the
  /// machine, so sums with it wrap around.
  init(continuingAt nanoseconds: Int = 0, virtual: VirtualClock? = nil) {
    self.virtual = virtual
    let now = virtual.map { UInt64($0.now) } ?? DispatchTime.now().uptimeNanoseconds
    startNanoseconds = now &- UInt64(max(0, nanoseconds))
  }

  /// Nanoseconds since the start.
  var now: Int {
    if let virtual { return Int(UInt64(virtual.now) &- startNanoseconds) }
    return Int(DispatchTime.now().uptimeNanoseconds &- startNanoseconds)
  }

  /// The instant this many nanoseconds after the start, for Dispatch.
  func dispatchTime(_ nanoseconds: Int) -> DispatchTime {
    DispatchTime(uptimeNanoseconds: startNanoseconds &+ UInt64(max(0, nanoseconds)))
  }
}
