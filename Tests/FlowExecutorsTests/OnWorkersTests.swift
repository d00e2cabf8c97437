import FlowModel
import Foundation
import TestSupport
import Testing

/// Runs the real command with `--on workers=N`.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OnWorkersTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-on-\(UUID().uuidString)"

  private func write(_ text: String, to name: String = "flow.yaml") throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
  }

  private func run(_ arguments: String...) throws -> FlowrunProcess.Result {
    try FlowrunProcess.run(arguments, in: folder)
  }

  /// True if a process is running, rather than ended or a zombie.
  private static func isAlive(_ number: String) -> Bool {
    let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
    return text.map { !$0.contains(") Z") } ?? false
  }

  private func remove() throws { try FileManager.default.removeItem(atPath: folder) }

  /// Returns the parts of a report that do not differ between runs.
  private func report(_ name: String) throws -> [String] {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let steps = try #require(object["steps"] as? [String: [String: Any]])
    let outputs = try JSONSerialization.data(withJSONObject: object["outputs"] ?? [:], options: .sortedKeys)
    let lines = steps.map { id, step in
      let error = (step["error"] as? [String: Any]).map { "\($0["code"] ?? "") \($0["message"] ?? "")" } ?? ""
      return "\(id) \(step["outcome"] ?? "") \(step["attempts"] ?? "") \(error)"
    }
    return lines.sorted() + [String(decoding: outputs, as: UTF8.self), "\(object["conclusion"] ?? "")"]
  }

  #if os(Linux)
    @Test func `a background process on a worker continues to print to the log of its step`() throws {
      try write(
        """
        name: server
        steps:
          server:
            run: |
              setsid sh -c 'echo tick 1; touch first; until [ -e go ]; do sleep 0.01; done; echo tick 2; exec sleep 600' &
              until [ -e first ]; do sleep 0.01; done
              echo begun
          use: { needs: server, executor: local, run: "touch go; until [ -e seen ]; do sleep 0.02; done" }
        """)
      let process = try FlowrunProcess(["flow.yaml", "--on", "workers=1"], in: folder)
      #expect(process.waitForOutput("server: tick 2\n"), "\(process.outputSoFar)")
      try write("", to: "seen")
      let result = process.result()
      #expect(result.exitCode == 0, "\(result)")
      let log = try run("logs", "last", "--step", "server").output
      #expect(log.contains("server: tick 1\n") && log.contains("server: tick 2\n"), "\(log)")
      try remove()
    }
  #endif

  #if os(Linux)
    @Test func `waiting commands of a worker share a few threads`() throws {
      let gate = "\(folder)/gate"
      var text = "name: many\nsteps:\n"
      for step in 0..<60 { text += "  s\(step): { run: 'echo up $PPID; read line < gate; echo down' }\n" }
      try write(text)
      #expect(mkfifo(gate, 0o600) == 0)
      let process = try FlowrunProcess(["flow.yaml", "--on", "workers=60,processes=1"], in: folder)
      within(seconds: 300) { process.outputSoFar.components(separatedBy: "up ").count == 61 }
      let output = process.outputSoFar
      let number = try #require(output.components(separatedBy: "up ").last?.prefix { $0.isNumber })
      func threads() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/task").count) ?? 100
      }
      #expect(within(seconds: 60) { threads() <= 30 })
      let file = open(gate, O_RDWR)
      let ends = Array(String(repeating: "\n", count: 60).utf8)
      _ = ends.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
      let result = process.result(limitSeconds: 300)
      close(file)
      #expect(result.exitCode == 0 && result.output.components(separatedBy: ": down").count == 61, "\(result)")
      try remove()
    }
  #endif

  @Test func `a workflow has the same result on workers as locally`() throws {
    try write(
      """
      name: same
      env: { STATED: "1" }
      steps:
        set: { uses: flow.set, with: { values: { x: 3, list: [1, 2] } } }
        run: { run: 'echo "$STATED ${FLOWRUN_STEP}"; echo err >&2', needs: set }
        each: { run: 'echo "item $0"', foreach: "${{ steps.set.outputs.list }}", needs: set }
        fails: { run: exit 4, optional: true, retry: { attempts: 2, delay: 1ms } }
        input: { uses: flow.sleep, with: { for: "${{ steps.set.outputs.x }}" }, needs: set, optional: true }
        late: { run: sleep 30, deadline: 300ms, optional: true }
        post: { uses: flow.post, with: { event: done }, needs: run }
        after: { uses: flow.log, with: { message: "x" }, after: done }
      events: [done]
      outputs:
        text: ${{ steps.run.outputs.stdout }}
        status: ${{ steps.run.outputs.status }}
        items: ${{ steps.each.outputs }}
      """)
    let here = try run("flow.yaml", "--report", "here.json")
    let away = try run("flow.yaml", "--report", "away.json", "--on", "workers=3", "--verbose")
    #expect(here.exitCode == 0)
    #expect(away.exitCode == 0)
    #expect(try report("here.json") == report("away.json"))
    #expect(away.output.contains("run started on workers"))
    #expect(away.output.contains("post started on user-initiated") || !away.output.contains("post started on workers"))
    try remove()
  }

  @Test func `commands on workers do not receive the variable that contains a secret`() throws {
    let scene = SecretVariable(folder: folder, transport: "worker --stdio")
    try scene.write()
    // The worker process itself receives the variable, because it belongs to the same user on the same machine.
    try scene.check(["--on", "workers=1"], hidesFromTransport: false)
    try remove()
  }

  @Test func `the output of a worker's transport is not logged as output of a step`() throws {
    try write("name: x\nsteps: { a: { run: 'echo began; until [ -e said ]; do sleep 0.02; done; sleep 0.2' } }\n")
    try """
    #!/bin/sh
    (sleep 0.4; echo 'srun: error: this is of no step' >&2; touch said) </dev/null >/dev/null &
    exec '\(FlowrunProcess.path)' "$@"

    """.write(toFile: "\(folder)/transport", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/transport")
    let result = try run("flow.yaml", "--on", "workers=1,worker=\(folder)/transport")
    #expect(result.exitCode == 0 && result.output.contains("a: began"), "\(result)")
    #expect(!(result.output + result.errors).contains("srun:"), "\(result)")
    try remove()
  }

  @Test func `a command killed by its worker's time limit counts as lost, and runs again only with a retry policy`()
    throws
  {
    try write(
      #"""
      name: over
      steps:
        long:
          run: &run |
            echo $FLOWRUN_STEP >> began
            echo "slurmstepd: error: *** STEP 4.0 ON node1 CANCELLED DUE TO TIME LIMIT ***" > /proc/$PPID/fd/2
            exit 143
          retry: { attempts: 3, delay: 1ms }
          optional: true
        once: { run: *run, needs: long }
      """#)
    let result = try run("flow.yaml", "--on", "workers=1")
    #expect(result.exitCode == 1)
    #expect(result.output.contains("its time was up [executor-lost]"), "\(result.output) \(result.errors)")
    #expect(try String(contentsOfFile: "\(folder)/began", encoding: .utf8) == "long\nlong\nlong\nonce\n")
    try remove()
  }

  @Test func `processes left behind by commands end with their worker, and are reported`()
    throws
  {
    try write(
      #"""
      name: left
      steps:
        leave:
          run: |
            setsid sh -c "trap '' TERM; echo \$\$ > number; while :; do sleep 0.1; done" > left 2>&1 &
            until [ -s number ]; do sleep 0.05; done
        wait: { run: kill -0 $(cat number) && echo there, needs: leave }
        stay: { run: "trap '' TERM; while :; do sleep 0.1; done", needs: wait, deadline: 300ms, optional: true }
      """#)
    let result = try run("flow.yaml", "--on", "workers=1")
    #expect(result.exitCode == 0, "\(result.output)")
    #expect(result.output.contains("wait: there"))
    #expect(
      result.output.contains("warning: workers: worker 1 ended what commands had left running: 'sh -c trap"),
      "\(result.output)")
    let number = try String(contentsOfFile: "\(folder)/number", encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(within(seconds: 60) { !Self.isAlive(number) })
    try remove()
  }

  @Test func `a cancelled step that does not stop leaves other steps of its worker running`() throws {
    try write(
      #"""
      name: stubborn
      steps:
        stubborn: { uses: flow.block, with: { for: 2s }, deadline: 100ms, optional: true }
        other: { run: 'sleep 1.8; echo "attempt $FLOWRUN_ATTEMPT"' }
      """#)
    let result = try run("flow.yaml", "--on", "workers=2,processes=1")
    #expect(result.exitCode == 0 && result.output.contains("other: attempt 1"), "\(result)")
    try remove()
  }

  @Test(.timeLimit(.minutes(10))) func `random workflows have the same result on workers as locally`() throws {
    try TimelessReport.compare(TestExtent.count(usual: 2, release: 4, long: 60), in: folder, on: ["--on", "workers=3"])
    try remove()
  }

  @Test func `analyze reports the time until a worker began a step, for report files and stored runs`() throws {
    try write("name: away\nsteps: { a: { run: 'true' } }")
    #expect(try run("flow.yaml", "--report", "away.json", "--on", "workers=1").exitCode == 0)
    for launch in ["away.json", "last"] {
      let told = try run("analyze", launch, "--format", "json")
      #expect(told.exitCode == 0 && told.output.contains("\"cause\": \"executor\""), "\(launch): \(told)")
    }
    #expect(try run("flow.yaml", "--report", "here.json").exitCode == 0)
    #expect(try !run("analyze", "here.json", "--format", "json").output.contains("executor"))
    try remove()
  }

  @Test func `validate lists the steps that cannot run remotely, with the reasons`() throws {
    try write(
      """
      name: where
      queues: { narrow: { qos: utility, width: 1 } }
      steps:
        away: { run: "true" }
        local: { run: "true", executor: local }
        queued: { run: "true", queue: narrow }
        main: { uses: flow.log, with: { message: m }, queue: main }
        data: { run: 'echo "${{ run.data }}"' }
        post: { uses: flow.post, with: { event: e } }
        other: { run: "true", executor: workers=2 }
      events: [e]
      """)
    let result = try run("validate", "flow.yaml", "--on", "slurm=4")
    #expect(result.exitCode == 0)
    for line in [
      "  away    slurm=4", "  local   here: it says 'executor: local'", "  queued  here: it is in the queue 'narrow'",
      "  main    here: it is in the queue 'main'", "  data    here: it reads 'run.data', a folder of this machine",
      "  post    here: 'flow.post' is not portable", "  other   workers=2", "  2 of 7 steps would be started remotely",
    ] { #expect(result.lines.contains(line), "\(result.output)") }
    try remove()
  }

  @Test func `a step that cannot run remotely is refused if it names an executor`() throws {
    try write(
      """
      name: wrong
      steps:
        post: { uses: flow.post, with: { event: e }, executor: workers=1 }
        queued: { run: "true", queue: main, executor: workers=1 }
        zero: { run: "true", executor: workers=0 }
      events: [e]
      """)
    let result = try run("validate", "flow.yaml")
    #expect(result.exitCode == 2)
    #expect(result.output.contains("step 'post' cannot run remotely: 'flow.post' is not portable"))
    #expect(result.output.contains("step 'queued' cannot run remotely: it is in the queue 'main'"))
    #expect(result.output.contains("'0' is not a number of slots from 1 to 10000"))
    try remove()
  }

  @Test func `an unknown executor is a usage error, and a missing worker program is reported with its path`() throws {
    try write("name: x\nsteps: { a: { run: 'true' } }\n")
    let unknown = try run("flow.yaml", "--on", "worker=2")
    #expect(unknown.exitCode == 64)
    #expect(unknown.errors.contains("there is no executor 'worker'; did you mean 'workers'?"))
    #expect(try run("flow.yaml", "--on", "workers=0").exitCode == 64)
    let missing = try run("flow.yaml", "--on", "workers=1,worker=/no/such/flowrun")
    #expect(missing.exitCode == 2)
    #expect(missing.errors.contains("/no/such/flowrun"))
    try remove()
  }

  @Test func `a step whose worker is killed runs again as the next attempt`() throws {
    try write(
      """
      name: killed
      steps:
        a: { run: "if [ -e once ]; then echo $FLOWRUN_ATTEMPT; else touch once; kill -9 $PPID; sleep 60; fi" }
        b: { run: echo b, needs: a }
      outputs: { a: "${{ steps.a.outputs.stdout }}" }
      """)
    let result = try run("flow.yaml", "--on", "workers=1", "--report", "report.json")
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(try String(contentsOfFile: "\(folder)/report.json", encoding: .utf8).contains(#""a": "2""#))
    try remove()
  }

  @Test func `a step fails with executor-lost if all its workers are lost`() throws {
    try write(
      """
      name: lost
      steps:
        a: { run: "echo x >> tries; kill -9 $PPID; sleep 60" }
      """)
    let result = try run("flow.yaml", "--on", "workers=2")
    #expect(result.exitCode == 1)
    #expect(result.output.contains("executor-lost"))
    #expect(try String(contentsOfFile: "\(folder)/tries", encoding: .utf8).count <= 8)
    try remove()
  }

  @Test func `all processes on workers end when the coordinator is killed`() throws {
    try write(
      """
      name: orphans
      steps:
        a: { run: "echo $$ > first; sleep 60" }
        b: { run: "setsid sh -c 'echo $$ > second; sleep 60'; true" }
      """)
    let process = try FlowrunProcess(["flow.yaml", "--on", "workers=2"], in: folder)
    let numbers = try ["first", "second"].map { name -> String in
      func text() -> String { (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? "" }
      try #require(within(seconds: 30) { text().hasSuffix("\n") })
      return text().trimmingCharacters(in: .whitespacesAndNewlines)
    }
    process.send(SIGKILL)
    _ = process.result(limitSeconds: 20)
    #expect(within(seconds: 60) { !numbers.contains(where: Self.isAlive) })
    try remove()
  }
}
