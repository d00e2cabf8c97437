import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A workflow for each item` {
  private static let part = """
    name: part
    inputs: { name: { type: string } }
    steps:
      make: { run: 'echo "$NAME $FLOWRUN_KEY"; test "$NAME" != bad', env: { NAME: "${{ inputs.name }}" } }
      tell: { run: "echo told", needs: make, if: always() }
    outputs: { said: "${{ inputs.name }} said" }

    """

  private func items(_ outcome: WorkflowFolder.Outcome, of step: String) -> [[String: Any]] {
    outcome.steps[step]?["items"] as? [[String: Any]] ?? []
  }

  @Test func `runs for the items of a list, each with its own lines, outputs and steps`() throws {
    let folder = try WorkflowFolder([
      "deep/part.yaml": Self.part,
      "main.yaml": """
      name: main
      steps:
        list: { run: "echo '[\\"a\\", \\"bad\\", \\"c\\"]'" }
        each:
          uses: ./deep/part.yaml
          needs: list
          foreach: ${{ fromJSON(steps.list.outputs.stdout) }}
          optional: true
          with: { name: "${{ item }}" }
        after: { uses: flow.log, needs: each, if: always(), with: { message: "${{ toJSON(steps.each.outputs) }}" } }

      """,
    ])
    let run = try folder.run("main.yaml")
    #expect(run.status == 0 && run.conclusion == "partial", "\(run.output)")
    #expect(run.output.contains("each[0] a: make: a "), "\(run.output)")
    #expect(run.output.contains("/each[2]/make"), "the key of a step inside names its item")
    #expect(run.output.contains("each[1] bad: tell: told"))
    #expect(run.output.filter { !$0.isWhitespace }.contains("\"asaid\",after:null,after:\"csaid\""), "\(run.output)")
    let items = items(run, of: "each")
    #expect(items.map { $0["outcome"] as? String } == ["success", "failure", "success"])
    let error = try #require(items[1]["error"] as? [String: String])
    #expect(error["code"] == "include-failed")
    #expect(error["message"]?.contains("step 'make' failed: command-failed") == true)
    let inner = try #require(items[1]["steps"] as? [String: [String: Any]])
    #expect(inner["make"]?["outcome"] as? String == "failure" && inner["tell"]?["outcome"] as? String == "success")
    let (outer, start) = (items[1]["startedAt"] as? Double, inner["make"]?["startedAt"] as? Double)
    #expect(try #require(outer) <= #require(start), "times are the run's, not the item's")
  }

  @Test func `stops if its run is interrupted or killed, and a resume repeats only unfinished items`() throws {
    let folder = try WorkflowFolder([
      "part.yaml": """
      name: part
      inputs: { n: { type: integer } }
      steps:
        first: { run: 'echo first >> log-$N', env: { N: "${{ inputs.n }}" } }
        second: { run: 'test -e go-$N || { echo waits; sleep 600; }', needs: first, env: { N: "${{ inputs.n }}" } }

      """,
      "main.yaml":
        "name: main\nsteps:\n  each: { uses: ./part.yaml, foreach: [0, 1, 2], parallel: 1, with: { n: '${{ item }}' } }\n",
      "go-0": "",
    ])
    for signal in [SIGINT, SIGKILL] {
      let process = try FlowrunProcess(signal == SIGINT ? ["main.yaml"] : ["resume"], in: folder.url.path)
      #expect(process.waitForOutput("each[1] 1: second: waits"))
      process.send(signal)
      let result = process.result(limitSeconds: 30)
      #expect(result.exitCode == 128 + signal, "\(result)")
    }
    try folder.write("", to: "go-1")
    try folder.write("", to: "go-2")
    #expect(try folder.flowrun("resume").status == 0)
    let logs = try ["0", "1", "2"].map {
      try String(contentsOf: folder.url.appendingPathComponent("log-" + $0), encoding: .utf8)
    }
    #expect(logs == ["first\n", "first\nfirst\nfirst\n", "first\n"])
    // A changed file counts as a different workflow, so its items run again.
    try folder.write("name: part\ninputs: { n: { type: integer } }\nsteps:\n  a: { run: echo new }\n", to: "part.yaml")
    let again = try folder.flowrun("resume", "last", "--from", "each", "--rerun-changed")
    #expect(again.text.contains("each[0] 0: a: new") && again.status == 0, "\(again)")
  }

  @Test func `supports retries and a deadline, as items without a workflow do`() throws {
    let folder = try WorkflowFolder([
      "part.yaml": """
      name: part
      steps:
        once: { run: "test -e mark || { touch mark; exit 1; }" }

      """,
      "slow.yaml": "name: slow\nsteps:\n  s: { run: sleep 600 }\n",
      "main.yaml": """
      name: main
      steps:
        each: { uses: ./part.yaml, foreach: [1], retry: { attempts: 2, delay: 10ms } }
        late: { uses: ./slow.yaml, foreach: [1, 2], deadline: 300ms, fail-fast: false }

      """,
    ])
    let run = try folder.run("main.yaml")
    #expect(run.status == 1)
    #expect(items(run, of: "each").map { $0["attempts"] as? Int } == [2])
    #expect(items(run, of: "late").map { $0["outcome"] as? String } == ["timed-out", "timed-out"], "\(run.output)")
  }

  @Test func `asks one question at a time, and flowrun answer selects the item by its id`() throws {
    let folder = try WorkflowFolder([
      "part.yaml": """
      name: part
      steps:
        one: { uses: flow.ask, with: { question: "one?", choices: [x, y] } }
        two: { uses: flow.ask, with: { question: "two?", choices: [x, y] } }
      outputs: { said: "${{ steps.one.outputs.choice }}${{ steps.two.outputs.choice }}" }

      """,
      "main.yaml": """
      name: main
      steps:
        each: { uses: ./part.yaml, foreach: [a, b] }
        tell: { uses: flow.log, needs: each, with: { message: "said ${{ join(steps.each.outputs.said) }}" } }

      """,
    ])
    let process = try FlowrunProcess(["main.yaml"], in: folder.url.path)
    #expect(process.waitForOutput("each[1] b: two: asks"))
    #expect(process.outputSoFar.contains(" each[1] CHOICE"))
    // An answer may be accepted late, so answers are sent until no question is left.
    let isOver = try within(seconds: 60) {
      for item in ["each[0]", "each[1]"] { _ = try folder.flowrun("answer", "last", item, "x") }
      return process.outputSoFar.contains("said ")
    }
    let result = process.result(limitSeconds: 30)
    #expect(isOver && result.exitCode == 0 && result.output.contains("said xx,xx"), "\(result)")
    #expect(result.output.matches(of: /chose x/).count == 4, "\(result)")
  }

  @Test func `records for each item separately whether its steps are up to date`() throws {
    let folder = try WorkflowFolder([
      "part.yaml": """
      name: part
      inputs: { n: { type: string } }
      steps:
        copy:
          run: 'cp "in-$N" "out-$N"; echo copied'
          env: { N: "${{ inputs.n }}" }
          inputs-from: ["in-*"]
          produces: ["out-${{ inputs.n }}"]

      """.replacing("\"out-${{ inputs.n }}\"", with: "out-*"),
      "main.yaml":
        "name: main\nsteps:\n  each: { uses: ./part.yaml, foreach: [a, b], parallel: 1, with: { n: '${{ item }}' } }\n",
      "in-a": "a", "in-b": "b",
    ])
    // The first item uses the product that the second one makes.
    for _ in 0..<2 { #expect(try folder.flowrun("main.yaml").status == 0) }
    #expect(try !folder.flowrun("main.yaml").text.contains("copied"))
    #expect(try folder.flowrun("main.yaml", "--force", "each").text.contains("each[1] b: copy: copied"))
    try folder.write("other", to: "in-b")
    #expect(try folder.flowrun("main.yaml").text.contains("each[1] b: copy: copied"))
  }

  @Test func `uses handles of earlier steps, but must not wait for events, have an env-file or choose an executor`()
    throws
  {
    let folder = try WorkflowFolder([
      "part.yaml": "name: part\nsteps:\n  a: { uses: preferences.set, with: { key: a, value: 1 } }\n",
      "resource.yaml": """
      name: resource
      steps:
        open: { uses: storage.open, with: { path: values.sqlite } }
        each: { uses: ./part.yaml, foreach: [1, 2], needs: open }

      """,
      "event.yaml": "name: event\nsteps:\n  a: { run: 'true', after: app.will-enter-foreground }\n",
      "variables.yaml": "name: variables\nenv-file: v.env\nsteps:\n  a: { run: 'true' }\n",
      "outer.yaml": "name: outer\nsteps:\n  a: { uses: ./variables.yaml }\n",
      "away.yaml": "name: away\nsteps:\n  a: { run: 'true', executor: workers=2 }\n",
      "main.yaml": """
      name: main
      steps:
        a: { uses: ./event.yaml, foreach: [1] }
        b: { uses: ./outer.yaml, foreach: [1] }
        c: { uses: ./away.yaml, foreach: [1], parallel: 65 }
        d: { uses: ./nowhere.yaml, foreach: [1] }

      """,
    ])
    let run = try folder.run("resource.yaml")
    #expect(run.conclusion == "success", "\(run.output)")
    let (text, status) = try folder.flowrun("validate", "main.yaml")
    #expect(status == 2)
    for part in [
      "main.yaml:3:37: error: step 'a' cannot run './event.yaml' for each item: step 'a' of 'event.yaml' waits for",
      "'variables.yaml' has an 'env-file'", "runs on 'workers=2', but the workflow of an item runs here",
      "'parallel' is 65, and at most 64 such runs may run at once", "there is no file 'nowhere.yaml' that can be read",
    ] { #expect(text.contains(part), "\(part)\nis not in\n\(text)") }
  }

  @Test func `receives secrets only as inputs, and warns about an invalid output`() throws {
    let folder = try WorkflowFolder([
      "part.yaml": """
      name: part
      inputs: { token: { type: string, secret: true } }
      steps:
        plain: { run: 'echo "has ${DEPLOY_TOKEN:-nothing}"' }
        given: { run: 'echo "given $TOKEN"', env: { TOKEN: "${{ inputs.token }}" } }
      outputs: { wrong: "${{ fromJSON(steps.plain.outputs.stdout) }}" }

      """,
      "main.yaml": """
      name: main
      secrets: { token: { env: DEPLOY_TOKEN } }
      steps:
        each: { uses: ./part.yaml, foreach: [1], with: { token: "${{ secrets.token }}" } }

      """,
    ])
    let run = try FlowrunProcess.run(
      ["main.yaml", "--report", "report.json"], in: folder.url.path, environment: ["DEPLOY_TOKEN": "planted-secret"])
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.output.contains("each[0] 1: plain: has nothing"), "\(run)")
    #expect(
      run.output.contains("each[0] 1: given: given") && run.output.contains("each[0] 1: warning: outputs: "), "\(run)")
    let report = try String(contentsOf: folder.url.appendingPathComponent("report.json"), encoding: .utf8)
    #expect(!(run.output + run.errors + report).contains("planted-secret"))
  }
}
