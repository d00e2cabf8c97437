import FlowPlatform

/// The time that this process needs to stop, reported to the flowrun whose command it belongs to.
package enum StopTime {
  private struct Times {
    /// The reported time.
    var milliseconds = 0
    /// The time without reserves.
    var usual = Duration.zero
    /// The time of nested runs.
    var inner = Duration.zero
  }

  private static let own = SharedMutex(Times())

  /// Reports the time that the process itself needs; `usual` is the time without reserves, for people.
  package static func report(_ time: Duration, usual: Duration) {
    let milliseconds = time.milliseconds
    own.mutex.withLock { $0 = Times(milliseconds: milliseconds, usual: usual) }
    InnerRuns.report(milliseconds: milliseconds)
  }

  /// The longest time in which the process should stop.
  package static var longest: Duration { own.mutex.withLock { max($0.usual, $0.inner) } }

  /// Reports that nested runs also need this time.
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
