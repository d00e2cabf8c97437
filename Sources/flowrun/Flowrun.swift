import FlowCLI
import FlowEditorCommands
import FlowExecutorCommands

@main
enum Flowrun {
  static func main() {
    let executors = Executors()
    FlowCommand.start(with: CommandParts([EditorCommands(), executors], executors: executors))
  }
}
