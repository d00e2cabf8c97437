import FlowCommandKit
import FlowEngine

/// The subcommands that analyze, compare and simulate runs. Also creates the HTML report of a run.
package struct InsightCommands: SubcommandProvider {
  package init() {}

  package var subcommands: [ProvidedSubcommand] {
    [
      ProvidedSubcommand(.inspect, AnalyzeCommand.self), ProvidedSubcommand(.inspect, CompareCommand.self),
      ProvidedSubcommand(.inspect, SimulateCommand.self),
    ]
  }

  /// Returns the page of a run that has just ended.
  package static func reportPage(_ report: RunReport) -> String { InsightPages.page(report).html }
}
