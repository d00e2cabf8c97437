import Dispatch

/// A one-shot timer, used if no thread can be started that sleeps until the time.
///
/// It is strict and has no leeway. On Apple's systems, `asyncAfter` may be late by a tenth of its delay, which would
/// open a gate of 5 s after 5.5 s.
enum StrictTimer {
  /// Calls `action` on `queue` at `instant`.
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
