import CFlowClock
import FlowModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Threads of the system, beside all pools.
package enum BareThread {
  /// What a thread is for.
  package enum Kind: Sendable {
    /// Sleeps most of the time, and then must not be late.
    case prompt
    /// Runs steps.
    case working(QualityOfService)
  }

  /// Runs `body` on a thread of its own; false when the system gives none.
  package static func start(_ kind: Kind, _ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Retained here and released once: by the thread, or below where there is none.
    let box = Unmanaged.passRetained(Body(kind, body))
    #if canImport(Darwin)
      pthread_attr_set_qos_class_np(&attributes, kind.qualityOfService, 0)
      var thread: pthread_t?
      let code = pthread_create(
        &thread, &attributes,
        { box in
          Unmanaged<Body>.fromOpaque(box).takeRetainedValue().run()
          return nil
        }, box.toOpaque())
    #else
      var thread = pthread_t()
      let code = pthread_create(
        &thread, &attributes,
        { box in
          Unmanaged<Body>.fromOpaque(box!).takeRetainedValue().run()
          return nil
        }, box.toOpaque())
    #endif
    // Proof of safety: the thread takes over the reference that was retained for it; where there is none, it is released.
    if code != 0 { box.release() }
    return code == 0
  }

  private final class Body: Sendable {
    private let kind: Kind
    private let call: @Sendable () -> Void

    init(_ kind: Kind, _ call: @escaping @Sendable () -> Void) {
      self.kind = kind
      self.call = call
    }

    func run() {
      switch kind {
      case .prompt: flow_prefer_promptness()
      case .working(let quality): flow_set_niceness(quality.niceness)
      }
      call()
    }
  }
}

extension QualityOfService {
  /// How a thread of it stands back where the system knows niceness of threads, as Dispatch does it.
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
