import Testing

@Suite(.timeLimit(.minutes(1))) struct UsageTests {
  @Test(arguments: [
    (["vlaidate", "x.yaml"], "flowrun: 'vlaidate' is neither a verb nor a file; did you mean 'validate'?\n"),
    (["grap"], "flowrun: 'grap' is neither a verb nor a file; did you mean 'graph'?\n"),
  ])
  func `suggests the verb that was meant`(arguments: [String], message: String) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run(arguments)
    #expect(output == .init(exitCode: 64, standardOutput: "", standardError: message))
  }

  @Test func `takes what is no verb for a workflow file`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run("nightly.yaml")
    #expect(output.exitCode == 2)
    #expect(output.standardError == "flowrun: cannot read the workflow 'nightly.yaml': No such file or directory\n")
  }

  @Test func `suggests the option that was meant and exits 64`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let output = try tool.run("graph", "x.yaml", "--fromat", "dot")
    #expect(output.exitCode == 64)
    #expect(output.standardError.contains("Unknown option '--fromat'. Did you mean '--format'?"))
    #expect(try tool.run("graph", "x.yaml", "--format", "svg").standardError.contains("'svg' is invalid"))
  }

  @Test func `shows an action's page`() throws {
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
