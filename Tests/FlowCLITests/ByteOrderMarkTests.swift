import Testing

/// Editors on Windows put a byte order mark at the beginning of a file. flowrun ignores it.
@Suite(.timeLimit(.minutes(10))) struct `A byte order mark` {
  private static let mark = "\u{FEFF}"

  @Test func `a byte order mark is accepted in workflows, arguments, files and batches`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      Self.mark
        + "name: marked\ninputs: { o: { type: object }, t: { type: string } }\nsteps:\n  a: { uses: flow.noop }\n"
        + "outputs: { o: \"${{ inputs.o.k }}\", t: \"${{ inputs.t }}\" }\n", to: "w.yaml")
    try tool.write(Self.mark + "{\"k\": 7}", to: "o.json")
    try tool.write(Self.mark + "text", to: "t.txt")
    let run = try tool.run("w.yaml", "-i", "o=@o.json", "-i", "t=@t.txt", "--launch", "url=@o.json")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.standardOutput.hasSuffix("o: 7\nt: text\n"), "\(run.standardOutput)")
    #expect(try tool.run("validate", "w.yaml").standardOutput == "w.yaml: valid, 1 step\n")
    #expect(
      try tool.run("call", "flow.set", "--with", Self.mark + "{\"values\":{\"a\":1}}").standardOutput
        == "{\"outputs\":{\"a\":1}}\n")
    #expect(try tool.run("eval", "k", "--context", "o.json").standardOutput == "{\"kind\":\"Number\",\"value\":7}\n")
    #expect(
      try tool.run("eval", "--batch", input: Self.mark + "{\"expr\":\"1\"}\n").standardOutput
        == "{\"kind\":\"Number\",\"value\":1}\n")
  }
}
