import FlowModel
import Testing

@Suite(.timeLimit(.minutes(10))) struct GraphSubcommandTests {
  private static let workflow = """
    name: launch
    deadline: { min: 100ms, max: 2s }
    events: [map.first-use]
    queues: { database: { qos: utility, width: 1 } }
    steps:
      open-store: { uses: flow.noop, queue: database }
      language: { uses: flow.sleep, needs: open-store, with: { for: 20ms } }
      first-screen: { uses: flow.noop, needs: [open-store, language], queue: main }
      geocoder: { uses: flow.noop, blocking: false, optional: true }
      cloud: { uses: flow.noop, needs: open-store, enabled: false }
      ask: { uses: flow.noop, defer: true, after: map.first-use }
      later: { uses: flow.noop, needs: ask }
      tidy: { uses: flow.noop, defer: idle }
    """

  private func graph(_ format: String) throws -> String {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "launch.yaml")
    let output = try tool.run("graph", "launch.yaml", "--format", format)
    #expect(output.exitCode == 0, "\(output)")
    return output.standardOutput
  }

  @Test func `graph draws the gate between the steps before and after it`() throws {
    #expect(
      try graph("ascii") == """
        launch
        * open-store        flow.noop   on database
          geocoder          flow.noop   not blocking; optional
        *   language        flow.sleep  <- open-store
            cloud           flow.noop   <- open-store; disabled
        *     first-screen  flow.noop   <- open-store, language; on main
        ---- gate, 100ms to 2s ---------
          ask               flow.noop   after event map.first-use
          tidy              flow.noop   when idle
            later           flow.noop   <- ask
        * the gate waits for it

        """)
  }

  @Test func `graph draws no gate without a deadline or deferred steps, and shows names of steps`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      "name: plain\nsteps: { a: { uses: flow.noop }, b: { uses: flow.noop, needs: a, name: Wrap up } }",
      to: "plain.yaml")
    #expect(
      try tool.run("graph", "plain.yaml").standardOutput == """
        plain
        a    flow.noop
          b  flow.noop  <- a; 'Wrap up'

        """)
    for format in ["mermaid", "dot"] {
      #expect(!(try tool.run("graph", "plain.yaml", "--format", format).standardOutput.contains("gate")))
    }
  }

  @Test func `graph prints a Mermaid flowchart`() throws {
    #expect(
      try graph("mermaid") == """
        flowchart TD
          s0["open-store<br/>flow.noop<br/>on database"]:::blocking
          s1["language<br/>flow.sleep"]:::blocking
          s2["first-screen<br/>flow.noop<br/>on main"]:::blocking
          s3["geocoder<br/>flow.noop<br/>not blocking<br/>optional"]
          s4["cloud<br/>flow.noop<br/>disabled"]:::disabled
          s5["ask<br/>flow.noop"]:::deferred
          s6["later<br/>flow.noop"]:::deferred
          s7["tidy<br/>flow.noop<br/>when idle"]:::deferred
          gate{{"gate, 100ms to 2s"}}
          e0(["map.first-use"])
          s0 --> s1
          s0 --> s2
          s1 --> s2
          s0 --> s4
          s5 --> s6
          s2 ==> gate
          gate -.-> s5
          gate -.-> s7
          e0 -.-> s5
          classDef blocking stroke-width:3px
          classDef deferred stroke-dasharray:5 5
          classDef disabled opacity:0.4

        """)
  }

  @Test func `graph prints a Graphviz graph with a box for each queue`() throws {
    let lines = try graph("dot").split(separator: "\n").map(String.init)
    #expect(lines.first == "digraph \"launch\" {")
    #expect(lines.contains("  subgraph \"cluster_database\" {"))
    #expect(lines.contains(#"    "open-store" [label="open-store\nflow.noop\non database", style="rounded,bold"];"#))
    #expect(lines.contains(#"  "first-screen" -> gate [style=bold];"#))
    #expect(lines.contains(#"  gate -> "ask" [style=dashed];"#))
    #expect(lines.contains(#"  "event map.first-use" -> "ask" [style=dotted];"#))
    #expect(lines.last == "}")
  }

  @Test func `graph prints the gate and the properties of steps as JSON`() throws {
    let value = try JSONText.parse(try graph("json"))
    #expect(value.objectValue?["gate"] == ["min": "100ms", "max": "2s", "waitsFor": ["first-screen"]])
    let steps = value.objectValue?["steps"]?.arrayValue?.compactMap(\.objectValue) ?? []
    #expect(
      steps.map { $0["side"] } == [
        "before-gate", "before-gate", "before-gate", "before-gate", "before-gate", "after-gate", "after-gate", "idle",
      ])
    #expect(steps.map { $0["blocking"] } == [true, true, true, false, false, false, false, false])
    #expect(steps.last?["queue"] == "utility")
  }

  @Test func `graph rejects an invalid workflow with exit code 2 and the reason`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: x\nsteps: { a: { uses: flow.noop, needs: b } }\n", to: "broken.yaml")
    let output = try tool.run("graph", "broken.yaml")
    #expect(output.exitCode == 2)
    #expect(output.standardOutput.isEmpty)
    #expect(output.standardError.hasPrefix("broken.yaml:2:39: error: step 'a' needs 'b', which is not a step"))
  }
}
