import FlowCommandKit
import FlowEngine
import FlowSystem
import Synchronization

/// Ends the wait of a run with `keep: services` under `--watch` when a file that it reads changes.
///
/// Then the watching process (``RunWatch``) starts the next run. The exit code reports that a change ended the wait. A
/// change made before the wait also ends it, but with the usual exit code, because the run itself may have made it.
final class KeptRunWatch: Sendable {
  /// The environment variable that is set if a watching process started this run.
  static let variable = "FLOWRUN_WATCH"
  /// The exit code of a run if a change ended its wait.
  static let exitCode: CInt = 75

  private let hasEnded = Mutex(false)

  /// The interval at which the files are checked.
  private static let lookMilliseconds: CInt = 150

  /// Returns true if a watching process started this process. Removes the variable, so that the commands of the run do
  /// not inherit it.
  static func takeRequest() -> Bool {
    guard Environment.value(variable) != nil else { return false }
    unsetenv(variable)
    return true
  }

  var hasEndedWait: Bool { hasEnded.withLock { $0 } }

  /// Ends the wait of a run when one of the files that it reads changes.
  func follow(_ run: WorkflowRun, _ request: RunRequest) {
    let changes = FileWatch(WatchedFiles(of: request, before: nil))
    do throws(SystemError) {
      try DetachedThread.start(name: "watch") { [self] in
        var isWaiting = false
        while run.isGoingOn {
          _ = poll(nil, 0, Self.lookMilliseconds)
          guard run.isKeepingServices else { continue }
          let hasChanged = changes.changed() != nil
          if hasChanged {
            if isWaiting { hasEnded.withLock { $0 = true } }
            _ = run.endWait()
            return
          }
          isWaiting = true
        }
      }
    } catch {
      StandardOutput.writeError("flowrun: cannot watch files while services run: \(error)\n")
    }
  }
}
