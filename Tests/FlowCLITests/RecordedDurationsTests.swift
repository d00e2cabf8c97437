import FlowModel
import FlowPluginKit
import FlowRunStores
import Testing

@testable import FlowCLI

/// The recorded durations of a step, which editors show.
@Suite(.timeLimit(.minutes(10))) struct RecordedDurationsTests {
  init() { CommandParts.current.stores = RunStores() }

  private func durations(_ step: String, _ tool: CommandLineTool, _ file: String = "w.yaml") -> [Duration] {
    RecordedDurations.of(step, in: tool.folder.path + "/" + file) { _ in ActionRegistry(BuiltInPlugins.all) }
  }

  @Test func `the durations of a step's successful executions are found, even if the file has changed`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    #expect(durations("nap", tool) == [])
    let steps = ["nap: { uses: flow.sleep, with: { for: 30ms } }", "bad: { uses: flow.fail, with: { message: no } }"]
    try tool.write("name: w\nsteps:\n  \(steps[0])\n", to: "w.yaml")
    #expect(try tool.run("w.yaml").exitCode == 0)
    // Before the second run, the step moves to another line. The run fails because of the other step.
    try tool.write("name: w\nsteps:\n  \(steps[1])\n  \(steps[0])\n", to: "w.yaml")
    #expect(try tool.run("w.yaml").exitCode == 1)
    #expect(durations("nap", tool).count == 2)
    #expect(durations("nap", tool).allSatisfy { $0 >= .milliseconds(30) })
    #expect(durations("bad", tool) == [])
    #expect(durations("nobody", tool) == [])
    #expect(durations("nap", tool, "other.yaml") == [])
  }
}
