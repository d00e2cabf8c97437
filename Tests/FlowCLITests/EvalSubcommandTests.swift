import FlowModel
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct EvalSubcommandTests {
  @Test func `eval prints the kind and the value of an expression`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(#"{"a": {"b": [1, 2.5]}}"#, to: "context.json")
    let output = try tool.run("eval", "a.b", "--context", "context.json")
    #expect(
      output == .init(exitCode: 0, standardOutput: #"{"kind":"Array","value":[1,2.5]}"# + "\n", standardError: ""))
    #expect(try tool.run("eval", "--", "-Infinity").standardOutput == #"{"kind":"Number","value":"-Infinity"}"# + "\n")
  }

  @Test func `eval reports an error in an expression and exits with 1`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run("eval", "contain('a', 'b')")
    #expect(output.exitCode == 1)
    #expect(
      output.standardOutput
        == #"{"error":{"kind":"parsing","message":"Unrecognized function: 'contain'. Located at position 1 within "#
        + #"expression: contain('a', 'b')","help":"did you mean 'contains'?"}}"# + "\n")
    #expect(output.standardError.hasSuffix("  = help: did you mean 'contains'?\n"))
  }

  @Test func `eval --batch answers each input line in order, even if the line is invalid`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let questions: [(String, String)] = [
      (#"{"expr":"a.B","contexts":{"A":{"b":null}}}"#, #"{"kind":"Null","value":null}"#),
      (#"{"expr":"a.x","contexts":{"a":{"x":1,"X":2}}}"#, #"{"kind":"Number","value":1}"#),
      ("", #"{"error":{"kind":"parsing","message":"the line is empty; each line is one JSON object"}}"#),
      (
        "{",
        #"{"error":{"kind":"parsing","message":"the line is not JSON: column 2: expected a key in double quotes, "#
          + #"found the end of the text"}}"#
      ),
      ("[]", #"{"error":{"kind":"parsing","message":"each line is one JSON object, this one is something else"}}"#),
      (
        "{}",
        #"{"error":{"kind":"parsing","message":"the key \"expr\" is missing: each line is "#
          + #"{\"expr\":…,\"contexts\":{…}}"}}"#
      ),
      (#"{"expr":1}"#, #"{"error":{"kind":"parsing","message":"\"expr\" must be a string, not 1"}}"#),
      (
        #"{"expr":"a","contexts":[]}"#,
        #"{"error":{"kind":"parsing","message":"\"contexts\" must be an object, not an empty list"}}"#
      ),
      (#"{"expr":"NaN","contexts":null}"# + "\r", #"{"kind":"Number","value":"NaN"}"#),
      (
        #"{"expr":"format('{')"}"#,
        #"{"error":{"kind":"evaluation","message":"The following format string is invalid: {","help":"a placeholder "#
          + #"is written {0}; write a literal '{' as '{{'"}}"#
      ),
      (#"{"expr":"success() && !failure()"}"#, #"{"kind":"Boolean","value":true}"#),
    ]
    let output = try tool.run("eval", "--batch", input: questions.map(\.0).joined(separator: "\n"))
    #expect(output.exitCode == 0)
    #expect(output.standardOutput.split(separator: "\n").map(String.init) == questions.map(\.1))
  }

  @Test func `eval --batch reads lines of any length up to the limit`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let text = String(repeating: "x", count: 3 << 20)
    let long = #"{"expr":"contains(t, 'y')","contexts":{"t":"\#(text)"}}"#
    // A debug build takes a long time to read such a line.
    let tooLong = TestExtent.isFull ? String(repeating: " ", count: Limits.jsonBytes + 1) + "\n" : ""
    let output = try tool.run("eval", "--batch", input: "\(long)\n\(tooLong)\(long)")
    #expect(
      output.standardOutput == """
        {"kind":"Boolean","value":false}
        \(TestExtent.isFull ? #"{"error":{"kind":"parsing","message":"the line is longer than 64 MiB"}}"# + "\n" : "")\
        {"kind":"Boolean","value":false}

        """)
  }

  @Test(arguments: [
    (["eval"], "flowrun: eval needs an expression, such as: flowrun eval \"contains('abc', 'b')\"; or --batch\n"),
    (
      ["eval", "1", "--batch"],
      "flowrun: eval --batch reads expressions and contexts from standard input; leave those of the command line out\n"
    ),
    (
      ["eval", "1", "--context", "list.json"],
      "flowrun: --context 'list.json' must hold a JSON object, not an empty list\n"
    ),
    (
      ["eval", "1", "--context", "broken.json"],
      "flowrun: --context 'broken.json' is not JSON: line 2, column 1: expected a key in double quotes, found the end "
        + "of the text\n"
    ),
  ])
  func `eval rejects invalid arguments with exit code 64`(arguments: [String], message: String) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("[]", to: "list.json")
    try tool.write("{\n", to: "broken.json")
    let output = try tool.run(arguments)
    #expect(output == .init(exitCode: 64, standardOutput: "", standardError: message))
  }
}
