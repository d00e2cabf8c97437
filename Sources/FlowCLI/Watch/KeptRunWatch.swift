import FlowCommandKit
import FlowEngine
import FlowSystem
import Synchronization

/// Ends the wait of a run under `--watch` with `keep: services` when a file that it reads changes.
///
/// The watching process (``RunWatch``) then starts the next run. The exit code reports that a change during the wait
/// ended it. An earlier change may have been made by the run itself and is counted as such.
final class KeptRunWatch: Sendable {
  /// The variable that marks a run whose files are watched.
  static let variable = "FLOWRUN_WATCH"
  /// The exit code of a run whose wait was ended by a change.
  static let exitCode: CInt = 75

  private let hasEnded = Mutex(false)

  /// The interval between checks of the files.
  private static let lookMilliseconds: CInt = 150

  /// Returns true if this process runs for a watching process. The commands of the run do not inherit the variable.
  static func takeRequest() -> Bool {
    guard Environment.value(variable) != nil else { return false }
    unsetenv(variable)
    return true
  }

  /// True if a change has ended the wait.
  var hasEndedWait: Bool { hasEnded.withLock { $0 } }

  /// Ends the wait of a run when one of the files has changed.
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
