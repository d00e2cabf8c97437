import FlowCommandKit
import FlowEngine
import FlowSystem
import Synchronization

/// A run under `--watch` with `keep: services`. A change of a file that it reads ends its wait.
///
/// The process that watches (``RunWatch``) then starts the next run. It learns from the exit code that the wait ended for a change
/// that came while the run waited; one that came before may be the run's own doing, and counts as such.
final class KeptRunWatch: Sendable {
  /// Marks a run whose files are watched.
  static let variable = "FLOWRUN_WATCH"
  /// The exit code of a run whose wait a change has ended.
  static let exitCode: CInt = 75

  private let hasEnded = Mutex(false)

  /// The pause between two looks at the files.
  private static let lookMilliseconds: CInt = 150

  /// Whether this process runs for one that watches. The commands of the run do not inherit that.
  static func takeRequest() -> Bool {
    guard Environment.value(variable) != nil else { return false }
    unsetenv(variable)
    return true
  }

  /// Whether a change has ended the wait.
  var hasEndedWait: Bool { hasEnded.withLock { $0 } }

  /// Ends the wait of a run once one of the files has changed.
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
