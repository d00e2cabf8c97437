import FlowSystem
import Synchronization

/// Threads for blocking bodies and for parts of bodies. A few idle threads are kept for reuse.
final class WorkerThreads: Sendable {
  /// The maximum number of idle threads that are kept.
  private static let keptThreads = 8

  private let idle = Mutex<[BlockingWorker]>([])

  /// Calls `body(true)` on a thread, or `body(false)` on the current thread if the system cannot create one.
  func run(_ body: @escaping @Sendable (_ hasThread: Bool) -> Void) {
    let worker = idle.withLock { $0.popLast() } ?? BlockingWorker(name: "body")
    worker.submit { [self] hasThread in
      body(hasThread)
      guard hasThread else { return }
      // A worker that is not kept is released, which ends its thread.
      idle.withLock { if $0.count < Self.keptThreads { $0.append(worker) } }
    }
  }
}
