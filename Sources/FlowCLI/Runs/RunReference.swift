import FlowCommandKit
import FlowDiagnostics
import FlowStore

/// Finds the run that a user names by the start or end of its id, or by `last` or `last-failed`.
package enum RunReference {
  /// The number of digits of an id that are shown. They are the last ones, because those are random.
  static let shownDigits = 8

  package static func short(_ id: String) -> String { String(id.suffix(shownDigits)) }

  /// Returns the run with this name. Throws a ``UsageProblem`` if no run matches or several do; in the second case, it
  /// lists the candidates. Throws an ``InvalidWorkflow`` instead if exactly one damaged run matches.
  static func find(_ name: String, in list: RunList) throws -> StoredRun {
    do throws(UsageProblem) {
      return try find(name, in: list.runs)
    } catch {
      guard let damaged = damaged(name, in: list) else { throw error }
      throw InvalidWorkflow(
        description:
          "flowrun: the record of run \(TerminalText.visible(short(damaged))) is damaged; "
          + "flowrun runs delete \(TerminalText.visible(short(damaged))) deletes it\n")
    }
  }

  /// Returns the id of the damaged run with this name. Returns nil unless exactly one damaged run matches.
  static func damaged(_ name: String, in list: RunList) -> String? {
    let typed = name.lowercased()
    let fitting = typed.isEmpty ? [] : list.damaged.filter { $0.hasPrefix(typed) || $0.hasSuffix(typed) }
    return fitting.count == 1 ? fitting[0] : nil
  }

  private static func find(_ name: String, in runs: [StoredRun]) throws(UsageProblem) -> StoredRun {
    if name == "last", let newest = runs.first { return newest }
    if name == "last-failed" {
      guard let failed = runs.first(where: { $0.state == .failure }) else { throw UsageProblem("no run has failed") }
      return failed
    }
    let typed = name.lowercased()
    let fitting = typed.isEmpty ? [] : runs.filter { $0.id.hasPrefix(typed) || $0.id.hasSuffix(typed) }
    if fitting.count == 1 { return fitting[0] }
    if fitting.count > 1 {
      let candidates = fitting.prefix(8).map { "\(short($0.id)) (\($0.workflow), \($0.state.rawValue))" }
      let rest = fitting.count > 8 ? ", …" : ""
      throw UsageProblem("'\(name)' may be one of \(candidates.joined(separator: ", "))\(rest); write more of it")
    }
    let nearest = NearestName.of(typed, among: runs.map { short($0.id) } + ["last", "last-failed"])
    throw UsageProblem(
      "there is no run '\(name)'" + (nearest.map { "; did you mean '\($0)'?" } ?? "; see flowrun runs"))
  }
}
