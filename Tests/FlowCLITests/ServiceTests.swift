import Foundation
import TestSupport
import Testing

/// Commands that keep running as services. The tests run the real program.
@Suite(.timeLimit(.minutes(5)), .serialized) struct ServiceTests {
  private let tool: CommandLineTool

  init() throws { tool = try CommandLineTool() }

  /// Returns a command that writes `up NAME` to the file `log` and prints `ready NAME`. When it is stopped, it writes
  /// `down NAME`.
  private static func server(_ name: String, end: String = "exit 0") -> String {
    "trap 'echo down \(name) >> log; \(end)' TERM; echo up \(name) >> log; echo ready \(name); while :; do sleep 0.02; done"
  }

  private func log() -> [String] { ((try? tool.text(of: "log")) ?? "").split(separator: "\n").map(String.init) }

  private func start(_ yaml: String, _ arguments: String...) throws -> FlowrunProcess {
    try tool.write(yaml, to: "w.yaml")
    return try FlowrunProcess(["w.yaml"] + arguments, in: tool.folder.path)
  }

  private func run(_ yaml: String, _ arguments: String...) throws -> CommandLineTool.Output {
    try tool.write(yaml, to: "w.yaml")
    return try tool.run(["w.yaml"] + arguments)
  }

  private static func stack(_ top: String = "") -> String {
    """
    name: stack
    \(top)
    steps:
      db: { service: true, run: "\(server("db"))", ready-when: { log: "^ready db$" } }
      api: { service: true, needs: db, run: "\(server("api"))", ready-when: { log: "ready" } }
      web: { service: true, needs: api, run: "\(server("web"))", ready-when: { log: "ready" } }
      test: { run: echo test >> log, needs: web }
    finally:
      tidy: { run: echo tidy >> log }

    """
  }

  @Test func `services are ready before their dependents start, and stop in reverse order of dependencies`()
    throws
  {
    defer { tool.remove() }
    let result = try run(Self.stack())
    #expect(result.exitCode == 0, "\(result)")
    #expect(log() == ["up db", "up api", "up web", "test", "tidy", "down web", "down api", "down db"], "\(result)")
    #expect(result.standardOutput.contains("db ready in"), "\(result)")
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a kept run waits for a signal and then runs finally`(
    _ signal: Int32
  ) throws {
    defer { tool.remove() }
    let process = try start(Self.stack("keep: services"))
    #expect(within(seconds: 60) { log().contains("test") })
    #expect(process.waitForOutput("test succeeded"))
    #expect(!log().contains("tidy"))
    process.send(signal)
    let result = process.result()
    #expect(result.exitCode == 0, "\(result)")
    #expect(log().suffix(4) == ["tidy", "down web", "down api", "down db"], "\(log())")
    #expect(result.errors.contains("stopping the services"), "\(result)")
  }

  @Test func `flowrun cancel ends a kept run, which fails if one of its steps has failed`() throws {
    defer { tool.remove() }
    let process = try start(
      """
      name: kept
      keep: services
      steps:
        db: { service: true, run: "\(Self.server("db"))" }
        bad: { run: exit 3, needs: db }
      """)
    #expect(process.waitForOutput("bad failed"))
    #expect(try tool.run("cancel", "last").exitCode == 0)
    #expect(process.result().exitCode == 1)
    #expect(log().last == "down db")
  }

  @Test func `a signal before all other steps have finished cancels a run that keeps its services`() throws {
    defer { tool.remove() }
    let process = try start(
      """
      name: kept
      keep: services
      steps:
        db: { service: true, run: "\(Self.server("db"))", ready-when: { log: ready } }
        long: { run: "echo long begins; sleep 600", needs: db }
      finally: { tidy: { run: echo tidy >> log } }
      """)
    #expect(process.waitForOutput("long: long begins"))
    process.send(SIGTERM)
    #expect(process.result().exitCode == 143)
    #expect(log() == ["up db", "tidy", "down db"])
  }

  @Test func `a killed service is restarted, and one that ends too often makes the run fail`() throws {
    defer { tool.remove() }
    let result = try run(
      """
      name: again
      steps:
        db:
          service: true
          run: |
            echo $$ > pid; echo up >> log; echo ready
            while :; do sleep 0.02; done
          ready-when: { log: ready }
          restart: { on-exit: failure, delay: 10ms }
        killer: { run: "kill -9 $(cat pid); until [ $(wc -l < log) = 2 ]; do sleep 0.02; done", needs: db }
        crash:
          service: true
          needs: killer
          run: "echo crash >> crashes; exit 7"
          ready-when: { log: never }
          restart: { on-exit: always, delay: 1ms, attempts: 2 }
      """)
    #expect(result.exitCode == 1, "\(result)")
    #expect(log() == ["up", "up"])
    #expect(result.standardOutput.contains("it is started again in 10ms (1 of 5)"), "\(result)")
    #expect(try tool.text(of: "crashes") == "crash\ncrash\ncrash\n")
    #expect(
      result.standardOutput.contains("exited with status 7 before it was stopped, after 2 new starts"), "\(result)")
    #expect(result.standardOutput.contains("[service-ended]"), "\(result)")
  }

  @Test func `a service with unlimited attempts is restarted until the other steps have finished`() throws {
    defer { tool.remove() }
    let result = try run(
      """
      name: again
      steps:
        crash:
          service: true
          run: "echo crash >> crashes; exit 7"
          restart: { on-exit: always, delay: 1ms, attempts: unlimited }
        wait: { run: "until [ $(wc -l < crashes) -ge 8 ]; do sleep 0.02; done", needs: crash }
      """)
    #expect(result.exitCode == 0, "\(result)")
    #expect(result.standardOutput.contains("it is started again in 1ms (7 in a row)"), "\(result)")
  }

  @Test(arguments: [(false, 1, "failure"), (true, 0, "partial")])
  func `dependents of a service that ends permanently are cancelled unless the service is optional`(
    isOptional: Bool, code: Int32, conclusion: String
  ) throws {
    defer { tool.remove() }
    // The process id of the service can be reused as soon as flowrun has detected its end. The service fails only after
    // its group has ended, and a service that the run has asked to end does not fail.
    let result = try run(
      """
      name: lost
      steps:
        db: { service: true, optional: \(isOptional), run: "echo $$ > pid; echo ready; until [ -e go ]; do sleep 0.02; done", ready-when: { log: ready } }
        prepare: { run: echo prepared, needs: db }
        test: { run: "touch go; until [ -e gone ]; do sleep 0.02; done; sleep \(isOptional ? 2 : 600)", needs: prepare }
        later: { run: echo later, needs: test }
        report: { run: echo told, needs: db, if: failure() }
        other: { run: "until [ -e go ]; do sleep 0.02; done; while kill -0 $(cat pid); do sleep 0.02; done; touch gone; echo other went on" }
      """, "--report", "report.json")
    #expect(result.exitCode == code, "\(result)")
    let report = try tool.text(of: "report.json")
    #expect(report.contains("\"conclusion\": \"\(conclusion)\""), "\(report)")
    #expect(result.standardOutput.contains("other went on"), "\(result)")
    #expect(result.standardOutput.contains("test cancelled") == !isOptional, "\(result)")
    #expect(result.standardOutput.contains("later: later") == isOptional, "\(result)")
    #expect(report.contains("service-ended"), "\(report)")
  }

  @Test func `a service that never becomes ready fails, shows its last lines and is stopped`() throws {
    defer { tool.remove() }
    let result = try run(
      """
      name: never
      steps:
        db: { service: true, run: "echo nearly; \(Self.server("db"))", ready-when: { log: "^now$", within: 500ms } }
        use: { run: echo used, needs: db }
      """)
    #expect(result.exitCode == 1, "\(result)")
    #expect(result.standardOutput.contains("was not ready within 500ms: no line matched"), "\(result)")
    #expect(result.standardOutput.contains("[not-ready]") && result.standardOutput.contains("ready db"), "\(result)")
    #expect(result.standardOutput.contains("use skipped: upstream-failed"), "\(result)")
    #expect(log().last == "down db")
  }

  @Test func `a command can decide whether a service is ready`() throws {
    defer { tool.remove() }
    let result = try run(
      """
      name: asked
      steps:
        db: { service: true, run: "sleep 0.1; touch there; \(Self.server("db"))", ready-when: { run: test -e there, every: 10ms } }
        use: { run: test -e there, needs: db }
      """)
    #expect(result.exitCode == 0, "\(result)")
  }

  @Test func `services of an included file stop after the file's finally and before dependents of the file start`()
    throws
  {
    defer { tool.remove() }
    try tool.write(
      """
      name: part
      steps:
        db: { service: true, run: "\(Self.server("db"))", ready-when: { log: ready } }
        api: { service: true, needs: db, run: "\(Self.server("api"))", ready-when: { log: ready } }
        test: { run: echo test >> log, needs: api }
      finally: { tidy: { run: echo tidy >> log } }

      """, to: "part.yaml")
    let result = try run(
      """
      name: whole
      steps:
        part: { uses: ./part.yaml }
        after: { run: echo after >> log, needs: part }
      """)
    #expect(result.exitCode == 0, "\(result)")
    #expect(log() == ["up db", "up api", "test", "tidy", "down api", "down db", "after"], "\(result)")
  }

  @Test func `a selected step runs with only the services that it needs`() throws {
    defer { tool.remove() }
    let result = try run(
      """
      name: chosen
      steps:
        db: { service: true, run: "\(Self.server("db"))", ready-when: { log: ready } }
        other: { service: true, run: "\(Self.server("other"))", ready-when: { log: ready } }
        test: { run: echo test >> log, needs: db }
      """, "test")
    #expect(result.exitCode == 0, "\(result)")
    #expect(log() == ["up db", "test", "down db"])
  }

  @Test func `a resume restarts the services that a failed step needs`() throws {
    defer { tool.remove() }
    let yaml = """
      name: resumed
      steps:
        db: { service: true, run: "\(Self.server("db"))", ready-when: { log: ready } }
        test: { run: "echo test >> log; test -e fixed", needs: db }
      """
    #expect(try run(yaml).exitCode == 1)
    try tool.write("", to: "fixed")
    let result = try tool.run("resume", "last")
    #expect(result.exitCode == 0, "\(result)")
    #expect(log() == ["up db", "test", "down db", "up db", "test", "down db"])
  }

  @Test func `a change to a watched file ends a kept run, and the services start again`() throws {
    defer { tool.remove() }
    try tool.write("1", to: "input")
    let process = try start(
      """
      name: watched
      keep: services
      steps:
        db: { service: true, run: "\(Self.server("db"))", ready-when: { log: ready } }
        test: { run: "echo test $(cat input) >> log", needs: db, inputs-from: [input] }
      """, "--watch")
    #expect(within(seconds: 60) { log().contains("test 1") })
    #expect(process.waitForOutput("test succeeded"))
    // The change is repeated, because it may precede the first check of the files.
    let hasRunAgain = try within(seconds: 60) {
      try tool.write("22\(UUID())", to: "input")
      return within(seconds: 2) { log().count { $0 == "up db" } >= 2 }
    }
    #expect(hasRunAgain)
    process.send(SIGINT)
    #expect(process.result().exitCode == 130)
    #expect(log().count { $0 == "up db" } == log().count { $0 == "down db" })
  }

  @Test(arguments: [
    (
      "steps: { a: { run: x, service: true, foreach: [1] } }",
      "step 'a' is a service and cannot have 'foreach'"
    ),
    ("steps: { a: { run: x, service: true, retry: { attempts: 2 } } }", "write 'restart: { on-exit: failure }'"),
    ("steps: { a: { run: x, service: true, resources: { cpus: 1 } } }", "cannot have 'resources'"),
    ("steps: { a: { run: x, service: true, executor: workers=2 } }", "cannot have 'executor'"),
    ("steps: { a: { run: x, service: true, inputs-from: [b] } }", "cannot have 'inputs-from'"),
    ("steps: { a: { run: x, service: true, produces: [b] } }", "cannot have 'produces'"),
    ("steps: { a: { run: x, service: true, outputs: { v: { type: string } } } }", "cannot have 'outputs'"),
    ("steps: { a: { run: x, service: true, prewarm: true } }", "cannot have 'prewarm'"),
    ("steps: { a: { run: x, ready-when: { port: 1 } } }", "'ready-when' is for a service, which this step is not"),
    ("steps: { a: { uses: flow.noop, service: true } }", "'flow.noop' runs none"),
    ("steps: { a: { run: x, service: true, ready-when: 8080 } }", "write '{ port: 8080 }'"),
    ("steps: { a: { run: x, service: true, ready-when: { prot: 8080 } } }", "did you mean 'port'?"),
    (
      "steps: { a: { run: x, service: true, ready-when: { port: 8080, log: y } } }",
      "must have exactly one of log, port, http, run, found port and log"
    ),
    ("steps: { a: { run: x, service: true, ready-when: { within: 1s } } }", "found none"),
    ("steps: { a: { run: x, service: true, ready-when: { http: 'https://x' } } }", "is an address such as http://"),
    ("steps: { a: { run: x, service: true, ready-when: { log: '(' } } }", "is not a POSIX extended regular expression"),
    ("steps: { a: { run: x, service: true, ready-when: { port: 70000 } } }", "must be from 1 to 65535, found 70000"),
    ("steps: { a: { run: x, service: true, restart: always } }", "write '{ on-exit: always }'"),
    (
      "steps: { a: { run: x, service: true, restart: { on-exit: failed } } }",
      "it is one of 'always', 'failure', 'never'"
    ),
    (
      "steps: { a: { run: x, service: true, restart: { attempts: forever } } }",
      "must be an integer from 1 to 1000000, or 'unlimited'"
    ),
    (
      "steps: { a: { uses: shell.service, with: { command: x, restart: { attempts: 0 } } } }",
      "'attempts' is a number above 0 or unlimited"
    ),
    ("keep: services\nsteps: { a: { run: x } }", "'keep: services' needs a service"),
    ("keep: service\nsteps: { a: { run: x, service: true } }", "did you mean 'services'?"),
    ("steps: { a: { run: x, service: true }, b: { run: 'echo ${{ steps.a.outputs.stdout }}', needs: a } }", "stdout"),
  ])
  func `invalid keys of services are reported with valid alternatives`(keys: String, message: String) throws {
    defer { tool.remove() }
    try tool.write("name: w\n" + keys + "\n", to: "w.yaml")
    let result = try tool.run("validate", "w.yaml")
    #expect(result.exitCode == 2 && result.standardOutput.contains(message), "\(result)")
  }

  @Test func `validate rejects keep: services in an included file, and warns about a timeout with that key`() throws {
    defer { tool.remove() }
    try tool.write(
      "name: part\nkeep: services\ntimeout: 1m\nsteps: { a: { run: x, service: true } }\n", to: "part.yaml")
    let part = try tool.run("validate", "part.yaml")
    #expect(part.exitCode == 0 && part.standardOutput.contains("[timeout-of-kept]"), "\(part)")
    try tool.write("name: part\nkeep: services\nsteps: { a: { run: x, service: true } }\n", to: "part.yaml")
    try tool.write("name: whole\nsteps: { part: { uses: ./part.yaml } }\n", to: "w.yaml")
    let whole = try tool.run("validate", "w.yaml")
    #expect(whole.exitCode == 2 && whole.standardOutput.contains("that file has 'keep: services'"), "\(whole)")
  }
}
