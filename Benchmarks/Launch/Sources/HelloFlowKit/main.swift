import FlowKit

// The code that an app needs to launch with FlowKit: an engine with an action, a compiled workflow, a run and its gate.
print("hello")
let engine = Engine(plugins: [Greeter()])
let run = try engine.start(
  WorkflowGraph(compiled: []), options: RunOptions(dataFolder: "/tmp", workflowFolder: "/tmp"))
print(await run.gate.outcome.word, await run.report.conclusion)

struct Greeter: Plugin {
  static let name = "hello"
  var actions: [any ActionType.Type] { [Greet.self] }
}

struct Greet: Action {
  static let name = "hello.greet"
  static let summary = "Says hello"
  func run(_ input: NoInput, in context: ActionContext) -> NoOutput { NoOutput() }
}
