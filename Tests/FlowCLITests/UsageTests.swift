import Testing

@Suite(.timeLimit(.minutes(10))) struct UsageTests {
  @Test(arguments: [
    ("--list", "'flowrun' alone lists the steps of flowrun.yaml"), ("-q", "did you mean '--quiet'?"),
    ("-f", "name the file first: 'flowrun FILE STEP'"),
  ])
  func `flowrun suggests its equivalent of another tool's option, even after a step`(option: String, remedy: String)
    throws
  {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run("run", "x.yaml", "step", option)
    #expect(output.exitCode == 64)
    #expect(output.standardError.hasPrefix("flowrun: unknown option '\(option)'; \(remedy)\n"), "\(output)")
  }

  @Test(arguments: [
    (["vlaidate", "x.yaml"], "flowrun: 'vlaidate' is neither a subcommand nor a file; did you mean 'validate'?\n"),
    (["grap"], "flowrun: 'grap' is neither a subcommand nor a file; did you mean 'graph'?\n"),
    (["runs", "shw"], "flowrun: 'shw' is not a subcommand of 'flowrun runs'; did you mean 'show'?\n"),
    (["plugins", "nw", "shout"], "flowrun: 'nw' is not a subcommand of 'flowrun plugins'; did you mean 'new'?\n"),
    (["help", "valdate"], "flowrun: 'valdate' is not a subcommand of 'flowrun'; did you mean 'validate'?\n"),
    (
      ["help", "nosuch"], "flowrun: 'nosuch' is not a subcommand of 'flowrun'; 'flowrun --help' lists the subcommands\n"
    ),
    (["--versoin"], "flowrun: unknown option '--versoin'; did you mean '--version'?\n"),
    (["--nothing-like-it"], "flowrun: unknown option '--nothing-like-it'; 'flowrun --help' lists the options\n"),
    (["--dry-run", "x.yaml"], "flowrun: unknown option '--dry-run'; did you mean '--explain'?\n"),
    (["-j", "4"], "flowrun: unknown option '-j'; write 'concurrency: N' in the file\n"),
    (["list"], "flowrun: 'list' is neither a subcommand nor a file; did you mean 'flowrun graph FILE'?\n"),
    (
      ["lint", "x.yaml"], "flowrun: 'lint' is neither a subcommand nor a file; did you mean 'flowrun validate FILE'?\n"
    ),
    (["help", "runs", "sow"], "flowrun: 'sow' is not a subcommand of 'flowrun runs'; did you mean 'show'?\n"),
  ])
  func `flowrun suggests the intended subcommand or option for an unknown word`(arguments: [String], message: String)
    throws
  {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run(arguments)
    #expect(output == .init(exitCode: 64, standardOutput: "", standardError: message))
  }

  @Test func `flowrun suggests a valid command line for an existing file`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: ok\nsteps: { a: { run: 'true' } }\n", to: "ok.yaml")
    let start = "flowrun: 'test' is neither a subcommand nor a file; did you mean 'flowrun "
    #expect(try tool.run("test", "ok.yaml").standardError == start + "validate ok.yaml'?\n")
    #expect(try tool.run("gibberish-1", "ok.yaml").standardError.hasSuffix("did you mean 'flowrun ok.yaml'?\n"))
    #expect(try tool.run("ok.yaml", "--verbos").standardError.hasPrefix("flowrun: unknown option '--verbos'"))
  }

  @Test func `flowrun suggests the intended step or command line for an unknown word if there is a flowrun.yaml`()
    throws
  {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    for file in ["flowrun.yaml", "ok.yaml"] {
      try tool.write("name: ok\nsteps: { build: { run: 'true' } }\n", to: file)
    }
    let steps = [
      (["check"], "did you mean 'flowrun validate flowrun.yaml'?"), (["bulid"], "did you mean 'build'?"),
      (["list"], "'flowrun' alone lists the steps"),
      (["build", "ok.yaml"], "a file comes before its steps, as in 'flowrun ok.yaml build'"),
    ]
    for (words, question) in steps {
      let message = "flowrun: '\(words.last!)' is not a step of flowrun.yaml; \(question)\n"
      #expect(try tool.run(words) == .init(exitCode: 64, standardOutput: "", standardError: message))
    }
  }

  @Test func `help shows a subcommand's overview and its examples`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let list = try tool.run("help").standardOutput
    #expect(try tool.run("help", "runs", "show").standardOutput.hasPrefix("OVERVIEW: Shows a run and its steps."))
    let subcommands = list.split(separator: "SUBCOMMANDS:\n", maxSplits: 1).last?.split(separator: "\n").compactMap {
      line in
      line.hasPrefix("  ") && !line.hasPrefix("   ") ? line.split(separator: " ").first.map(String.init) : nil
    }
    let names = try #require(subcommands).filter { $0 != "See" }
    try #require(names.count > 15 && names.contains("run"))
    for name in names {
      let help = try tool.run("help", name).standardOutput
      #expect(help.contains("\nExamples:\n  flowrun "), "\(name): \(help.prefix(400))")
    }
  }

  @Test func `a message about an invalid address names the option that contains it`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: a\nsteps: { a: { uses: flow.noop } }\n", to: "a.yaml")
    let output = try tool.run("simulate", "a.yaml", "--from", "postgress://x/y")
    #expect(output.exitCode == 64)
    #expect(output.standardError.hasPrefix("flowrun: --from 'postgress://x/y': write the address"), "\(output)")
  }

  @Test func `an unknown word with a file extension is read as a workflow file`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run("nightly.yaml")
    #expect(output.exitCode == 2)
    #expect(output.standardError == "flowrun: cannot read the workflow 'nightly.yaml': No such file or directory\n")
  }

  @Test func `flowrun suggests the intended option for a misspelled one and exits with 64`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run("graph", "x.yaml", "--fromat", "dot")
    #expect(output.exitCode == 64)
    #expect(output.standardError.contains("unknown option '--fromat'; did you mean '--format'?"))
    #expect(try tool.run("graph", "x.yaml", "--format", "svg").standardError.contains("'svg' is invalid"))
  }

  @Test func `flowrun plugins show prints the description of an action`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    #expect(
      try tool.run("plugins", "show", "flow.sleep").standardOutput == """
        flow.sleep
        Waits without holding a thread
        built in

        Inputs
          for  duration, required — How long to wait

        Example
          uses: flow.sleep
          with: { for: 250ms }

        """)
    let list = try tool.run("plugins").standardOutput
    #expect(list.contains("\nflow  built in\n") || list.hasPrefix("flow  built in\n"))
    #expect(list.contains("  flow.noop "))
  }
}
