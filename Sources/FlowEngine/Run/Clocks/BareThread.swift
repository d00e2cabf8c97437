import CFlowClock
import FlowModel
import FlowPlatform

/// Threads that belong to no pool of the system, unlike those of Dispatch.
package enum BareThread {
  /// The purpose of a thread, which determines its priority.
  package enum Kind: Sendable {
    /// A thread that sleeps most of the time, but must wake promptly.
    case prompt
    /// A thread that runs steps of this quality of service.
    case working(StepQueue)
  }

  /// Starts a thread that runs `body`. Returns false if the system refuses to create one.
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

  /// Runs `body` on the calling thread, which must be one of Dispatch's, with the niceness for steps of this quality of
  /// service. Afterwards, restores the thread's niceness, unless the system does not allow it.
  static func lend(to quality: StepQueue, _ body: () -> Void) {
    let usual = flow_exchange_niceness(quality.niceness)
    body()
    _ = flow_exchange_niceness(usual)
  }
}

extension BareThread.Kind {
  /// Applies the priority to the calling thread.
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
  /// The niceness of threads, used on systems that support it. Dispatch uses the same values.
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
