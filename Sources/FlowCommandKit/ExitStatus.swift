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

  /// Calls `body` before the process ends by itself, on the thread that ends it. It must not wait.
  package static func whenEnding(_ body: @escaping @Sendable () -> Void) { endings.withLock { $0.append(body) } }

  /// Ends the process now. Nothing is awaited: steps that ignored their cancellation may still occupy threads.
  package func exit() -> Never { Self.exit(rawValue) }

  /// Ends the process now with any code, such as 128 plus a signal's number; with 74 where output was lost and the code
  /// says nothing worse.
  package static func exit(_ code: Int32) -> Never {
    for ending in endings.withLock({ $0 }) { ending() }
    fflush(nil)
    _exit(ofRun(code, losingOutput: StandardOutput.isLost))
  }

  /// A code, or 74 where output was lost and the code is below it in the order of exit codes: a timed-out gate, a
  /// broken budget, an incomplete export, success.
  package static func ofRun(_ code: Int32, losingOutput: Bool) -> Int32 {
    losingOutput && [124, 3, 4, 0].contains(code) ? outputFailed.rawValue : code
  }
}
