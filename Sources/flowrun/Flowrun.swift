import FlowCLI
import FlowEditorCommands
import FlowExecutorCommands
import FlowInsightCommands
import FlowRunStores

@main
enum Flowrun {
  static func main() {
    let executors = Executors()
    FlowCommand.start(
      with: CommandParts(
        [InsightCommands(), EditorCommands(), executors], executors: executors, stores: RunStores(),
        reportPage: InsightCommands.reportPage))
  }
}
