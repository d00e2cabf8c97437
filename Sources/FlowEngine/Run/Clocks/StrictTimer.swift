import Dispatch

/// A single call at an instant, used if no thread can sleep until then.
///
/// The timer is strict and has no leeway. `asyncAfter` may be late by a tenth of its delay on Apple's systems, so a
/// gate of 5 s would open after 5.5 s.
enum StrictTimer {
  /// Calls `action` on the queue at the instant.
  static func start(at instant: DispatchTime, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
    // Proof of safety: `timer` is a Dispatch source, which may be used from any thread. Its handler keeps it alive
    // until it has fired; cancelling it releases both.
    nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
    timer.schedule(deadline: instant, leeway: .nanoseconds(0))
    timer.setEventHandler(qos: .userInteractive, flags: .enforceQoS) {
      timer.cancel()
      action()
    }
    timer.activate()
  }
}
