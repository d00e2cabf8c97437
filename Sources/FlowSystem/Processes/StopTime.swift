import Synchronization

/// The time that this process needs to stop, as it reports it to a flowrun in whose command it runs.
package enum StopTime {
  private static let own = Mutex(0)

  /// Reports the time that the process needs by itself.
  package static func report(_ time: Duration) {
    let milliseconds = time.milliseconds
    own.withLock { $0 = milliseconds }
    InnerRuns.report(milliseconds: milliseconds)
  }

  /// Reports that what runs inside of this process needs this time, too.
  package static func extend(by time: Duration) {
    let milliseconds = own.withLock { $0 }
    if milliseconds > 0 { InnerRuns.report(milliseconds: milliseconds + time.milliseconds) }
  }
}

extension Duration {
  fileprivate var milliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}
