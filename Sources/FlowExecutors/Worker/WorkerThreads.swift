import FlowSystem
import Synchronization

/// Threads for blocking bodies and for parts of bodies. Some idle threads are kept and reused.
final class WorkerThreads: Sendable {
  /// The maximum number of idle threads.
  private static let keptThreads = 8

  private let idle = Mutex<[BlockingWorker]>([])

  /// Calls `body(true)` on a thread, or `body(false)` on the current one if the system cannot create a thread.
  func run(_ body: @escaping @Sendable (_ hasThread: Bool) -> Void) {
    let worker = idle.withLock { $0.popLast() } ?? BlockingWorker(name: "body")
    worker.submit { [self] hasThread in
      body(hasThread)
      guard hasThread else { return }
      // The thread of a released worker ends.
      idle.withLock { if $0.count < Self.keptThreads { $0.append(worker) } }
    }
  }
}
