import FlowCommandKit
import FlowDiagnostics
import FlowStore

extension StoreProblem: CommandProblem {
  package var message: String { "flowrun: \(TerminalText.visible(description + remedy))\n" }

  package var status: ExitStatus {
    switch self {
    case .unknown: .usage
    case .held, .fenced, .moved: .failure
    case .unusable, .damaged, .newer, .elsewhere: .invalidWorkflow
    }
  }

  /// A suggestion for an error whose description contains none, or an empty string.
  private var remedy: String {
    guard case .damaged = self else { return "" }
    return "; flowrun runs delete deletes a damaged run, and the next run moves a damaged store aside"
  }
}
