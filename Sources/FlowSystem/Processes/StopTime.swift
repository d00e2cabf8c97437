import FlowPlatform

/// The time that this process needs to stop. If the process is a nested run, the time is reported to the outer flowrun.
package enum StopTime {
  private struct Times {
    /// The time that was reported for the process itself.
    var milliseconds = 0
    /// The time without reserves, for messages.
    var usual = Duration.zero
    /// The longest time that nested runs in its commands need.
    var inner = Duration.zero
  }

  private static let own = SharedMutex(Times())

  /// Reports the time that the process itself needs to stop. `usual` is the time without reserves, for messages.
  package static func report(_ time: Duration, usual: Duration) {
    let milliseconds = time.milliseconds
    own.mutex.withLock { $0 = Times(milliseconds: milliseconds, usual: usual) }
    InnerRuns.report(milliseconds: milliseconds)
  }

  /// The longest time that the process should take to stop.
  package static var longest: Duration { own.mutex.withLock { max($0.usual, $0.inner) } }

  /// Reports that nested runs in commands need this additional time.
  package static func extend(by time: Duration) {
    let milliseconds = own.mutex.withLock { own in
      own.inner = max(own.inner, time)
      return own.milliseconds
    }
    if milliseconds > 0 { InnerRuns.report(milliseconds: milliseconds + time.milliseconds) }
  }
}

extension Duration {
  fileprivate var milliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}
