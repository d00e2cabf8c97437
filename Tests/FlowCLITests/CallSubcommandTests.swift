import FlowModel
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct CallSubcommandTests {
  @Test func `call prints the outputs of one action`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run("call", "flow.set", "--with", #"{"values": {"a": [1, "${{ inputs.x }}"]}}"#)
    #expect(
      output
        == .init(exitCode: 0, standardOutput: #"{"outputs":{"a":[1,"${{ inputs.x }}"]}}"# + "\n", standardError: ""))
  }

  @Test func `call writes log messages to standard error and only the result to standard output`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run("call", "flow.log", "--with", #"{"message": "hello"}"#)
    #expect(output == .init(exitCode: 0, standardOutput: "{\"outputs\":{}}\n", standardError: "hello\n"))
  }

  @Test func `call prints the error of an action that fails and exits with 1`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run("call", "flow.fail", "--with", #"{"message": "no luck"}"#)
    #expect(output.exitCode == 1)
    #expect(output.standardOutput == #"{"error":{"code":"failed","message":"no luck"}}"# + "\n")
  }

  @Test func `call can post the event named by an input`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    #expect(try tool.run("call", "flow.post", "--with", #"{"event": "some.event"}"#).exitCode == 0)
  }

  @Test func `call answers each line of a batch in order`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run(
      "call", "flow.set", "--batch", input: #"{"values":{"n":1}}"# + "\n\n{}\n" + #"{"values":{"n":2}}"#)
    #expect(
      output.standardOutput == """
        {"outputs":{"n":1}}
        {"error":{"code":"input","message":"the line is empty; each line is one JSON object"}}
        {"error":{"code":"input","message":"'values': expected an object, found nothing"}}
        {"outputs":{"n":2}}

        """)
    #expect(output.exitCode == 0)
    let sleep = try tool.run("call", "flow.sleep", "--batch", input: "{\"for\":\"1ms\"}\n{\"for\":\"5\"}\n")
    #expect(
      sleep.standardOutput == """
        {"outputs":{}}
        {"error":{"code":"input","message":"'for': expected a duration such as 250ms or 1m30s, found \\"5\\"; write 5s \
        or 5ms: a duration has a unit"}}

        """)
  }

  @Test func `call first runs the actions that provide required handles, with default inputs`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run("call", "storage.query", "--with", #"{"sql": "SELECT 1 AS one"}"#, "--data", "kept")
    #expect(
      output.standardOutput
        == #"{"outputs":{"columns":["one"],"rows":[{"one":1}],"count":1,"truncated":false}}"# + "\n")
    #expect(FileManager.default.fileExists(atPath: tool.folder.appendingPathComponent("kept/store.sqlite").path))
  }

  @Test(arguments: [
    ("flow.slep", "{}", "no action 'flow.slep' is installed; did you mean 'flow.sleep'?"),
    (
      "flow", "{}",
      "'flow' is a plugin; its actions are flow.ask, flow.block, flow.fail, flow.log, flow.noop, flow.on, flow.post, flow.set, flow.sleep, "
        + "flow.spin"
    ),
    ("storage.trips", "{}", "'storage.trips' is now 'footprint.trips'; write that name"),
    ("flow.sleep", "{}", "'flow.sleep' needs the input 'for' (duration): give it with --with '{\"for\": …}'"),
    ("flow.sleep", #"{"fro": "1s"}"#, "'flow.sleep' has no input 'fro'; did you mean 'for'?"),
    (
      "flow.sleep", #"{"for": 1}"#,
      "--with: 'for': expected a duration such as 250ms or 1m30s, found 1; write 1s or 1ms: a duration has a unit"
    ),
    ("flow.sleep", "[]", #"--with '[]' must be a JSON object, such as {"for": "1s"}"#),
    (
      "flow.sleep", "{",
      "--with '{' is not JSON: line 1, column 2: expected a key in double quotes, found the end of the text"
    ),
  ])
  func `call exits with 64 for invalid arguments and suggests valid ones`(action: String, with: String, message: String)
    throws
  {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run("call", action, "--with", with)
    #expect(output == .init(exitCode: 64, standardOutput: "", standardError: "flowrun: \(message)\n"))
  }
}
