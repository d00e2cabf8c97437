import CFlowClock
import FlowModel
import FlowPlatform

/// Threads of the system, next to all pools.
package enum BareThread {
  /// What a thread is for.
  package enum Kind: Sendable {
    /// Sleeps most of the time, and then must not be late.
    case prompt
    /// Runs steps.
    case working(StepQueue)
  }

  /// Runs `body` on a thread of its own; false when the system gives none.
  package static func start(_ kind: Kind, _ body: @escaping @Sendable () -> Void) -> Bool {
    do throws(SystemError) {
      try DetachedThread.start {
        kind.takeEffect()
        body()
      }
      return true
    } catch {
      return false
    }
  }
}

extension BareThread.Kind {
  /// Makes the calling thread one of its kind.
  fileprivate func takeEffect() {
    #if canImport(Darwin)
      pthread_set_qos_class_self_np(qualityOfService, 0)
    #endif
    switch self {
    case .prompt: flow_prefer_promptness()
    case .working(let quality): flow_set_niceness(quality.niceness)
    }
  }
}

extension StepQueue {
  /// How a thread of it gives way to others where the system knows niceness of threads, as Dispatch does it.
  fileprivate var niceness: Int32 {
    switch self {
    case .userInteractive: -2
    case .userInitiated: 0
    case .utility: 5
    case .background: 10
    }
  }
}

#if canImport(Darwin)
  extension BareThread.Kind {
    fileprivate var qualityOfService: qos_class_t {
      switch self {
      case .prompt, .working(.userInteractive): QOS_CLASS_USER_INTERACTIVE
      case .working(.userInitiated): QOS_CLASS_USER_INITIATED
      case .working(.utility): QOS_CLASS_UTILITY
      case .working(.background): QOS_CLASS_BACKGROUND
      }
    }
  }
#endif
