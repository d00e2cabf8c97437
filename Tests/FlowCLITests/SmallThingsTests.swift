import FlowModel
import Testing

@Suite(.timeLimit(.minutes(10))) struct SmallThingsTests {
  private static let hello =
    "name: hello\ninputs: { who: { type: string } }\nevents: [rung]\nsteps: { a: { uses: flow.noop } }\n"

  private func tool() throws -> CommandLineTool {
    let tool = try CommandLineTool()
    try tool.write(Self.hello, to: "hello.yaml")
    return tool
  }

  @Test func `the error for a workflow named without its extension suggests the full file name`() throws {
    let tool = try tool()
    defer { tool.remove() }
    let output = try tool.run("hello")
    #expect(output.exitCode == 64)
    #expect(output.standardError == "flowrun: 'hello' is neither a subcommand nor a file; did you mean 'hello.yaml'?\n")
  }

  @Test func `the error for a missing file or plugin suggests the most similar name`() throws {
    let tool = try tool()
    defer { tool.remove() }
    for subcommand in [[], ["validate"], ["simulate"]] {
      let output = try tool.run(subcommand + ["helo.yaml"])
      #expect(output.exitCode == 2 && output.standardError.hasSuffix("; did you mean 'hello.yaml'?\n"), "\(output)")
    }
    #expect(try tool.run("far.yaml").standardError.hasSuffix("No such file or directory\n"))
    let shown = try tool.run("plugins", "show", "flwo")
    #expect(shown.exitCode == 64 && shown.standardError.contains("did you mean 'flow'?"), "\(shown)")
  }

  @Test func `a data folder that flowrun creates is private, and an existing one keeps its mode`() throws {
    let tool = try tool()
    defer { tool.remove() }
    let mode = "stat -c %a made made/data; chmod 750 made/data"
    try tool.write("name: mode\nsteps: { a: { uses: shell.run, with: { command: \(mode) } } }\n", to: "mode.yaml")
    let arguments = ["mode.yaml", "--no-history", "--data", "made/data"]
    #expect(try tool.run(arguments).standardOutput.contains("a: 700\n"))
    let output = try tool.run(arguments).standardOutput
    #expect(output.contains("a: 700\n") && output.contains("a: 750\n"), "\(output)")
  }

  @Test func `the error for an unknown event lists the known events`() throws {
    let tool = try tool()
    defer { tool.remove() }
    let output = try tool.run("hello.yaml", "-i", "who=a", "--event", "knocked@1s")
    #expect(output.exitCode == 64)
    #expect(output.standardError.contains("it knows 'activate', "))
    #expect(output.standardError.contains("'rung'"))
  }

  @Test func `validate checks all workflows in a folder and fails if there are none`() throws {
    let tool = try tool()
    defer { tool.remove() }
    try tool.write("a: 1\n", to: "other.yaml")
    let output = try tool.run("validate", ".")
    #expect(output.exitCode == 0)
    #expect(output.standardOutput == "./hello.yaml: valid, 1 step\n1 YAML file without 'steps' skipped\n")
    try tool.write("x", to: "empty/text.txt")
    let empty = try tool.run("validate", "empty")
    #expect(empty.exitCode == 2)
    #expect(empty.standardError == "flowrun: cannot read 'empty': there is no workflow in this folder\n")
    try tool.write("name: [\nsteps: {}\n", to: "deep/er/broken.yml")
    #expect(try tool.run("validate", ".").exitCode == 2)
  }

  @Test func `flowrun plugins show describes all actions of a plugin`() throws {
    let tool = try tool()
    defer { tool.remove() }
    let output = try tool.run("plugins", "show", "flow")
    #expect(output.exitCode == 0)
    #expect(output.standardOutput.contains("flow.noop\n") && output.standardOutput.contains("flow.sleep\n"))
    #expect(!output.standardOutput.contains("storage.open\n"))
    #expect(try tool.run("plugins", "show", "flo").exitCode == 64)
  }

  @Test func `the shell completes actions, events, inputs and launch reasons`() throws {
    let tool = try tool()
    defer { tool.remove() }
    let script = try tool.run("--generate-completion-script", "bash").standardOutput
    for word in ["notification", "---completion", "lsp", "validate"] { #expect(script.contains(word), "\(word)") }
    func proposals(_ arguments: String...) throws -> Set<String> {
      Set(try tool.run(arguments).standardOutput.split(whereSeparator: \.isNewline).map(String.init))
    }
    #expect(
      try proposals("---completion", "call", "--", "positional@0", "2", "0", "flowrun", "call", "").contains(
        "flow.sleep"))
    let events = try proposals(
      "---completion", "run", "--", "--event", "4", "0", "flowrun", "run", "hello.yaml", "--event", "")
    #expect(events.contains("rung@"))
    let inputs = try proposals(
      "---completion", "run", "--", "--input", "4", "0", "flowrun", "run", "hello.yaml", "--input", "")
    #expect(inputs.contains("who="))
  }

  @Test func `the shell completes runs and their steps, events and choices`() throws {
    let tool = try tool()
    defer { tool.remove() }
    try tool.write(
      """
      name: other
      events: [rung]
      steps:
        ask-me: { uses: flow.ask, with: { question: Well, choices: [go, stay], default: go }, enabled: false }
        bad: { uses: flow.fail, with: { message: no } }
      """, to: "other.yaml")
    #expect(try tool.run("hello.yaml", "-i", "who=a").exitCode == 0)
    #expect(try tool.run("other.yaml").exitCode == 1)
    let all = try tool.run("runs", "--json").standardOutput
    let ids = try #require(JSONText.parse(all).arrayValue).compactMap {
      $0.objectValue?["id"]?.stringValue.map { String($0.suffix(8)) }
    }
    try #require(ids.count == 2)
    func proposals(_ subcommand: [String], _ argument: String, _ line: [String]) throws -> [String] {
      let words = subcommand + line + [""]
      let call = ["---completion"] + subcommand + ["--", argument, "\(words.count)", "0", "flowrun"] + words
      return try tool.run(call).standardOutput.split(whereSeparator: \.isNewline).map(String.init)
    }
    #expect(try proposals(["runs", "show"], "positional@0", []) == ["last", "last-failed"] + ids)
    #expect(try proposals(["logs"], "positional@0", []) == ["last", "last-failed"] + ids)
    #expect(try proposals(["runs", "delete"], "positional@0", []) == ids)
    try tool.write(Self.hello, to: "deep/in.yml")
    #expect(try proposals(["resume"], "positional@0", []) == [ids[0], "hello.yaml", "other.yaml", "deep/in.yml"])
    let typed = ["---completion", "resume", "--", "positional@0", "2", "5", "flowrun", "resume", "deep/"]
    #expect(try tool.run(typed).standardOutput.contains("\ndeep/in.yml"))
    #expect(try proposals(["cancel"], "positional@0", []).isEmpty)
    #expect(try proposals(["resume"], "--from", [ids[0], "--from"]) == ["ask-me", "bad"])
    #expect(try proposals(["logs"], "--step", [ids[1], "--step"]) == ["a"])
    #expect(try proposals(["answer"], "positional@1", [ids[0]]) == ["ask-me", "bad"])
    #expect(try proposals(["answer"], "positional@2", [ids[0], "ask-me"]) == ["go", "stay"])
    #expect(try proposals(["post"], "positional@1", [ids[0]]) == ["rung"])
    #expect(try proposals(["runs", "show"], "positional@0", ["--in", "/"]).isEmpty)
  }

  @Test func `flowrun version prints the version, and with --json also the system and architecture`() throws {
    let tool = try tool()
    defer { tool.remove() }
    let plain = try tool.run("version")
    let short = try tool.run("--version")
    #expect(plain == short && plain.exitCode == 0)
    let number = plain.standardOutput.dropLast()
    let json = try tool.run("version", "--json").standardOutput
    #expect(json.contains(#""version":"\#(number)""#) && json.contains(#""network":"#), "\(json)")
    #expect(json.contains(#""system":""#) && json.contains(#""architecture":""#), "\(json)")
  }

  @Test func `the manual has a page for run with its options, and one for a nested subcommand`() throws {
    let tool = try tool()
    defer { tool.remove() }
    try tool.write("", to: "man/.keep")
    #expect(try tool.run("manual", "man").exitCode == 0)
    let help = try tool.run("run", "--help").standardOutput
    #expect(help.contains("flowrun hello.yaml -i who=you"))
    let page = try tool.text(of: "man/flowrun-run.1")
    #expect(page.hasPrefix(".TH FLOWRUN-RUN 1\n.SH NAME\nflowrun\\-run \\- Runs a workflow, or some of its steps."))
    let synopsis = try #require(page.firstRange(of: ".SH SYNOPSIS"))
    #expect(try synopsis.lowerBound < #require(page.firstRange(of: ".SH DESCRIPTION")).lowerBound)
    for option in ["report", "trace", "event", "strict"] { #expect(page.contains("\\-\\-\(option)"), "\(option)") }
    #expect(try tool.text(of: "man/flowrun-plugins-show.1").contains(".SH SYNOPSIS"))
    #expect(try tool.run("manual", "nowhere").exitCode == 74)
  }
}
