import FlowSystem
import Synchronization

/// The exit codes of `flowrun`, as docs/reference.md lists them.
package enum ExitStatus: Int32 {
  case success = 0
  case failure = 1
  case invalidWorkflow = 2
  case budgetBroken = 3
  case incomplete = 4
  case usage = 64
  case outputFailed = 74
  case gateTimedOut = 124

  private static let endings = Mutex<[@Sendable () -> Void]>([])

  /// Registers a function that is called before the process ends, on the thread that ends the process. It must not
  /// block.
  package static func whenEnding(_ body: @escaping @Sendable () -> Void) { endings.withLock { $0.append(body) } }

  /// Ends the process immediately. It does not wait, because steps that ignored their cancellation may still occupy
  /// threads.
  package func exit() -> Never { Self.exit(rawValue) }

  /// Ends the process immediately with any code, such as 128 plus a signal's number. If output was lost and the code is
  /// less severe than that, the code is 74.
  package static func exit(_ code: Int32) -> Never {
    for ending in endings.withLock({ $0 }) { ending() }
    fflush(nil)
    _exit(ofRun(code, losingOutput: StandardOutput.isLost))
  }

  /// Returns `code`, or 74 if output was lost and `code` is less severe than that: success, a gate that timed out, a
  /// budget that was not met, or an incomplete export.
  package static func ofRun(_ code: Int32, losingOutput: Bool) -> Int32 {
    losingOutput && [124, 3, 4, 0].contains(code) ? outputFailed.rawValue : code
  }
}
