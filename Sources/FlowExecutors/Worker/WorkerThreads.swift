import FlowSystem
import Synchronization

/// Threads for blocking bodies, kept for reuse.
final class WorkerThreads: Sendable {
  private let idle = Mutex<[BlockingWorker]>([])

  /// Calls a body on a thread with `true`, or on the current one with `false` if the system cannot create a thread.
  func run(_ body: @escaping @Sendable (_ hasThread: Bool) -> Void) {
    let worker = idle.withLock { $0.popLast() } ?? BlockingWorker(name: "body")
    worker.submit { [self] hasThread in
      body(hasThread)
      if hasThread { idle.withLock { $0.append(worker) } }
    }
  }
}
