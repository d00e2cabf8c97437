import FlowCommandKit
import FlowEngine
import FlowSystem
import Synchronization

/// Ends the wait of a run with `keep: services` under `--watch` if a file that the run reads changes.
///
/// The watching process (``RunWatch``) then starts the next run. The exit code indicates that a change has ended the
/// wait. A change from before the wait also ends it, but with the usual exit code, because the run may have made that
/// change itself.
final class KeptRunWatch: Sendable {
  /// The environment variable that a watching process sets for the runs that it starts.
  static let variable = "FLOWRUN_WATCH"
  /// The exit code of a run whose wait was ended by a change.
  static let exitCode: CInt = 75

  private let hasEnded = Mutex(false)

  /// The interval at which files are checked.
  private static let lookMilliseconds: CInt = 150

  /// Returns true if a watching process started this process. Removes the variable, so that commands of the run do not
  /// inherit it.
  static func takeRequest() -> Bool {
    guard Environment.value(variable) != nil else { return false }
    unsetenv(variable)
    return true
  }

  var hasEndedWait: Bool { hasEnded.withLock { $0 } }

  /// Ends the wait of a run if one of the files that it reads changes.
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
