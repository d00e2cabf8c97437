import FlowDiagnostics
import FlowModel
import FlowSyntax

/// Describes where each step would run, and why.
enum PlacementText {
  /// Returns one line per step, with the step's id and place, and a line with the number of remote steps. For a step
  /// that should run remotely but cannot, the line has the reason.
  static func text(_ workflow: Workflow, _ placement: StepPlacement) -> String {
    let width = min(40, workflow.steps.map(\.id.text.count).max() ?? 0)
    var text = ""
    var away = 0
    for (index, (step, place)) in zip(workflow.steps, placement.places).enumerated() {
      let id = step.id.text + String(repeating: " ", count: max(0, width - step.id.text.count))
      switch place {
      case .away(let address):
        away += 1
        text += "  \(id)  \(TerminalText.visible(address))"
        if step.options.request != nil {
          let requests = step.options.requests.map { attempt, request in
            request.text() + (attempt == 1 ? "" : " from attempt \(attempt) on")
          }.joined(separator: ", ")
          text +=
            placement.countsHere(StepIndex(index))
            ? ": \(requests) of this machine" : ": a job of its own with \(requests)"
        }
        text += "\n"
      case .here(let why): text += "  \(id)  here" + (why.map { ": \(TerminalText.visible($0))" } ?? "") + "\n"
      }
    }
    return text + "  \(away) of \(workflow.steps.count) steps would be started remotely\n"
  }
}
