import FlowSystem
import Synchronization

/// Threads for bodies that block, kept for the next one.
final class WorkerThreads: Sendable {
  private let idle = Mutex<[BlockingWorker]>([])

  /// Calls a body on a thread with `true`, or here with `false` where the system gives none.
  func run(_ body: @escaping @Sendable (_ hasThread: Bool) -> Void) {
    let worker = idle.withLock { $0.popLast() } ?? BlockingWorker(name: "body")
    worker.submit { [self] hasThread in
      body(hasThread)
      if hasThread { idle.withLock { $0.append(worker) } }
    }
  }
}
