import FlowSystem
import Synchronization

/// Threads for blocking bodies. Idle threads are reused.
final class WorkerThreads: Sendable {
  private let idle = Mutex<[BlockingWorker]>([])

  /// Calls `body(true)` on a thread, or `body(false)` on the current one if the system cannot create a thread.
  func run(_ body: @escaping @Sendable (_ hasThread: Bool) -> Void) {
    let worker = idle.withLock { $0.popLast() } ?? BlockingWorker(name: "body")
    worker.submit { [self] hasThread in
      body(hasThread)
      if hasThread { idle.withLock { $0.append(worker) } }
    }
  }
}
