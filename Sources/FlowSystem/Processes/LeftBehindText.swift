/// Creates the warning about processes that commands left running.
package enum LeftBehindText {
  /// The maximum number of processes that the warning names.
  private static let named = 5

  /// Ends the processes that commands left running in other sessions. Returns a warning about them, or nil if there
  /// were none.
  package static func warning() -> String? {
    let names = ProcessGuard.shared.endLeftBehind()
    if names.isEmpty { return nil }
    var text = "ended what commands had left running: "
    for (index, name) in names.prefix(named).enumerated() { text += index == 0 ? name : ", \(name)" }
    if names.count > named { text += " and \(names.count - named) more" }
    return text + "; a command that is to keep running has 'service: true'"
  }
}
