import FlowCommandKit
import FlowModel
import FlowPluginKit
import FlowSyntax
import Testing

@testable import FlowCLI

struct `A program without executors` {
  private func start(_ text: String, on: String? = nil) throws -> any StepExecutors {
    let installation = try Installation(given: [])
    let result = WorkflowLoader(catalog: installation.registry).load(bytes: Array(text.utf8), file: "w.yaml")
    let workflow = try #require(result.graph?.workflow, "\(result.rendered())")
    return try WithoutExecutors().executors(
      of: workflow, installation, RunRequest(file: "w.yaml", on: on), workflowFolder: ".", inputs: [:])
  }

  @Test func `a program without executors runs all steps in its own process`() throws {
    let executors = try start("name: w\nsteps: { a: { uses: flow.noop } }\n")
    #expect(executors.isEmpty && executors.placement == nil)
  }

  @Test func `a program without executors rejects an executor on the command line or in the file`() throws {
    let problem = #expect(throws: UsageProblem.self) {
      try start("name: w\nsteps: { a: { uses: flow.noop } }\n", on: "workers=2")
    }
    #expect(problem?.description == "--on: this program has no executors")
    let inFile = #expect(throws: UsageProblem.self) {
      try start("name: w\nsteps: { a: { run: echo a, executor: workers=2 } }\n")
    }
    #expect(inFile?.description == "executor 'workers=2': this program has no executors")
  }
}

struct `The parts of a program` {
  private struct Words: SubcommandProvider {
    var subcommands: [ProvidedSubcommand] {
      [ProvidedSubcommand(.servers, VersionCommand.self), ProvidedSubcommand(.inspect, GraphCommand.self)]
    }
  }

  @Test func `subcommands of modules appear in their help groups`() {
    let parts = CommandParts([Words(), Words()])
    #expect(parts.subcommands(in: .servers).map { $0.configuration.commandName } == ["version", "version"])
    #expect(parts.subcommands(in: .inspect).map { $0.configuration.commandName } == ["graph", "graph"])
    #expect(parts.subcommands(in: .plugins).isEmpty)
  }
}
