import FlowDiagnostics
import FlowEngine
import FlowModel

/// Describes which steps a resumed run keeps and which it runs again. The text is printed before anything runs.
enum ResumeText {
  /// The maximum number of steps that are named in each group.
  private static let named = 20

  static func text(_ plan: ResumePlan, _ graph: WorkflowGraph, run: String, style: TextStyle) -> String {
    let name = { (step: StepIndex) in graph.workflow.steps[Int(step)].id.text }
    var kept: [String] = []
    var again: [String] = []
    var failed: [String] = []
    var heldBack: [String] = []
    var leftOut: [String] = []
    for (index, fate) in plan.fates.enumerated() {
      switch fate {
      case .kept: kept.append(name(StepIndex(index)))
      case .failed: if plan.interruptedItems[StepIndex(index)] == nil { failed.append(name(StepIndex(index))) }
      case .notSelected: leftOut.append(name(StepIndex(index)))
      case .again where plan.heldBack.contains(StepIndex(index)): heldBack.append(name(StepIndex(index)))
      case .again(let reason):
        let kept = plan.keptItems[StepIndex(index)].map { "; " + text($0) } ?? ""
        again.append("\(name(StepIndex(index))): \(reason.text(name))\(kept)")
      }
    }
    for (step, items) in plan.interruptedItems.sorted(by: { $0.key < $1.key }) {
      failed += items.map { "\(name(step))[\($0)]" }
    }
    var lines = [style.bold("resuming run \(RunReference.short(run))")]
    lines.append("kept: " + (kept.isEmpty ? "nothing" : list(kept)))
    if !failed.isEmpty {
      lines.append("interrupted, and not run again (on-interrupt: fail; run them with --from): " + list(failed))
    }
    if !heldBack.isEmpty { lines.append("skipped, because they depend on such a step: " + list(heldBack)) }
    lines.append(again.isEmpty ? "runs again: nothing" : "runs again:")
    lines += again.prefix(named).map { "  " + $0 }
    if again.count > named { lines.append("  … \(again.count - named) more") }
    if !leftOut.isEmpty {
      let why = plan.header.selection == nil ? "left out (--only): " : "not selected: "
      lines.append(why + list(leftOut))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func text(_ items: ResumePlan.KeptItems) -> String {
    guard items.count > 0 else { return "none of its items is kept" }
    let count = "\(items.count) \(items.count == 1 ? "item" : "items")"
    if items.isCertain { return count + (items.count == 1 ? " is kept" : " are kept") }
    return "up to \(count) \(items.count == 1 ? "is" : "are") kept: those that are the same when its list is evaluated "
      + "again"
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(named).joined(separator: ", ") + (names.count > named ? " and \(names.count - named) more" : "")
  }
}
