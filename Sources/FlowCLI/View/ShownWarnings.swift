import Synchronization

/// The warnings that a view has shown when they occurred. The summary repeats them only if they are no longer in view.
final class ShownWarnings: Sendable {
  private struct State {
    /// The number of rows written so far.
    var rows = 0
    /// The number of rows before each warning.
    var warnings: [String: Int] = [:]
  }

  /// The number of rows that a reader of a log is assumed to see at once.
  static let logRows = 24

  private let state = Mutex(State())

  /// True if no warning has been shown, so that rows need not be counted.
  var isEmpty: Bool { state.withLock { $0.warnings.isEmpty } }

  /// Records a warning whose rows are written next.
  func note(_ warning: String) { state.withLock { $0.warnings[warning] = $0.rows } }

  func add(rows: Int) { state.withLock { $0.rows += rows } }

  /// Returns the warnings that are among the last rows.
  func inView(ofRows rows: Int) -> Set<String> {
    state.withLock { state in Set(state.warnings.filter { state.rows - $0.value < rows }.keys) }
  }
}
