import Synchronization

/// The warnings that a view has already shown. The summary repeats only those that are no longer visible.
final class ShownWarnings: Sendable {
  private struct State {
    /// The number of rows that have been written.
    var rows = 0
    /// For each warning, the number of rows that were written before it.
    var warnings: [String: Int] = [:]
  }

  /// The number of rows that readers of a log are assumed to see at the same time.
  static let logRows = 24

  private let state = Mutex(State())

  /// True if no warning has been shown. Rows are counted only after the first warning.
  var isEmpty: Bool { state.withLock { $0.warnings.isEmpty } }

  /// Records a warning that is about to be written.
  func note(_ warning: String) { state.withLock { $0.warnings[warning] = $0.rows } }

  func add(rows: Int) { state.withLock { $0.rows += rows } }

  /// Returns the warnings that are in the last `rows` rows.
  func inView(ofRows rows: Int) -> Set<String> {
    state.withLock { state in Set(state.warnings.filter { state.rows - $0.value < rows }.keys) }
  }
}
