/// What the end of a run has to end besides: what its commands left running.
package enum LeftBehindText {
  /// How many of them are named.
  private static let named = 5

  /// Ends what commands left running in sessions of their own; what to say of it, or nil where there was nothing.
  package static func warning() -> String? {
    let names = ProcessGuard.shared.endLeftBehind()
    if names.isEmpty { return nil }
    var text = "ended what commands had left running: "
    for (index, name) in names.prefix(named).enumerated() { text += index == 0 ? name : ", \(name)" }
    if names.count > named { text += " and \(names.count - named) more" }
    return text + "; a command that is to keep running has 'service: true'"
  }
}
