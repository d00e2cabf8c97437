import FlowEngine
import Synchronization

/// Cancels a run on the first SIGINT or SIGTERM and ends the process on the second.
final class Interrupts: Sendable {
  private let received: Received
  private let watch: InterruptWatch

  private final class Received: Sendable {
    let first = Mutex<Int32?>(nil)
  }

  init(_ run: WorkflowRun) {
    let received = Received()
    self.received = received
    watch = InterruptWatch { signal, earlier in
      if earlier > 0 { ExitStatus.exit(128 + signal) }
      received.first.withLock { $0 = signal }
      StandardOutput.writeError("\nflowrun: cancelling; once more ends at once\n")
      run.cancel()
    }
  }

  /// The first signal that came, or nil.
  var first: Int32? { received.first.withLock { $0 } }
}
