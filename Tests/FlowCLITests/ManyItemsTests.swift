import Testing

/// A step can have 100,000 items, so it prints lines for successful items only up to a limit.
@Suite(.timeLimit(.minutes(10))) struct `A step with many items` {
  private static func workflow(_ count: Int, _ uses: String) -> String {
    let items = (0..<count).map(String.init).joined(separator: ", ")
    return "name: many\nsteps:\n  each:\n    uses: \(uses)\n    foreach: [\(items)]\n"
  }

  @Test(arguments: [(1_000, true), (1_001, false)])
  func `successful items have lines only if their step has at most 1,000 items`(count: Int, areShown: Bool) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow(count, "flow.noop"), to: "w.yaml")
    let output = try tool.run("w.yaml").standardOutput
    #expect(output.contains("each[7] 7 succeeded") == areShown)
    #expect(output.contains("each succeeded in"))
  }

  @Test func `failed items from posts are shown by their index`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: posts
      events: { x: { repeats: true, value: { type: integer } } }
      steps:
        one: { uses: flow.post, with: { event: x, value: 1 } }
        two: { uses: flow.post, with: { event: x, value: 2 }, needs: one }
        each: { foreach: { event: x }, run: "exit $V", env: { V: "${{ item.value }}" } }

      """, to: "w.yaml")
    let failed = try tool.run("w.yaml", "--report", "report.json")
    #expect(failed.exitCode == 1 && failed.standardOutput.contains("each[0]"), "\(failed)")
    let report = try String(contentsOf: tool.folder.appendingPathComponent("report.json"), encoding: .utf8)
    #expect(report.contains(#""items":"#))
  }

  @Test func `failed items are shown even among many, and --json prints the events of all items`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      Self.workflow(1_001, "flow.fail") + "    if: ${{ item == 7 }}\n    with: { message: no }\n", to: "w.yaml")
    let failed = try tool.run("w.yaml")
    #expect(failed.exitCode == 1 && failed.standardOutput.contains("each[7] 7 failed in"))
    #expect(!failed.standardOutput.contains("each[7] 7 started"))
    try tool.write(Self.workflow(1_001, "flow.noop"), to: "all.yaml")
    let json = try tool.run("all.yaml", "--json").standardOutput
    #expect(json.contains(#""step":"each[1000]""#))
  }
}
