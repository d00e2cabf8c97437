import CFlowClock
import FlowModel
import FlowPlatform

/// Threads that are not part of any pool of the system, such as Dispatch's.
package enum BareThread {
  /// The purpose of a thread, which determines its priority.
  package enum Kind: Sendable {
    /// Sleeps most of the time, but must wake promptly.
    case prompt
    /// Runs steps of this quality of service.
    case working(StepQueue)
  }

  /// Runs `body` on a new thread. Returns false if the system refuses to create one.
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

  /// Runs `body` on the calling thread, which is Dispatch's, with the niceness of a thread for these steps. Restores
  /// the thread's niceness, as far as the system allows.
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
  /// The niceness of threads on systems that support it. The values are those of Dispatch.
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
