import FlowCLI
import FlowEditorCommands
import FlowExecutorCommands
import FlowInsightCommands

@main
enum Flowrun {
  static func main() {
    let executors = Executors()
    FlowCommand.start(
      with: CommandParts(
        [InsightCommands(), EditorCommands(), executors], executors: executors, reportPage: InsightCommands.reportPage))
  }
}
