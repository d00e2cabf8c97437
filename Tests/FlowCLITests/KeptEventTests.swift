import Foundation
import TestSupport
import Testing

/// `keep: services` with services of actions, and with steps that run for the posts of an event.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `keep: services with events` {
  private let tool: CommandLineTool

  init() throws { tool = try CommandLineTool() }

  private func log() -> [String] { ((try? tool.text(of: "log")) ?? "").split(separator: "\n").map(String.init) }

  /// Starts a workflow with steps for the events `saved` and `never`. `item` is the command of the step for `saved`.
  private func start(_ item: String = "true", _ arguments: String...) throws -> FlowrunProcess {
    try tool.write(
      """
      name: inbox
      keep: services
      events: { saved: { repeats: true }, never: {} }
      steps:
        upload:
          foreach: { event: saved, parallel: 1 }
          run: "echo upload $NUMBER >> log; \(item)"
          env: { NUMBER: "${{ item.number }}" }
        report: { needs: upload, run: echo report >> log }
        other: { after: never, blocking: false, run: echo other >> log }
        links: { uses: router.receive, needs: routes }
        routes: { uses: router.register, with: { schemes: [app], routes: ["app://a"] } }
        notes: { uses: flow.on, with: { event: saved, action: shell.run, with: { command: "echo note >> log" } } }
      finally:
        tidy: { run: echo tidy >> log }

      """, to: "w.yaml")
    return try FlowrunProcess(["w.yaml"] + arguments, in: tool.folder.path)
  }

  private func post() -> Bool { (try? tool.run("post", "last", "saved").exitCode == 0) ?? false }

  @Test(arguments: ["INT", "TERM", "cancel"])
  func `a kept run handles all posts until it is asked to end, and succeeds`(_ way: String) throws {
    defer { tool.remove() }
    let process = try start("test $NUMBER = 1 || until test -e go; do sleep 0.02; done")
    #expect(within(seconds: 60) { post() })
    #expect(process.waitForOutput("upload[0] succeeded"))
    #expect(post())
    #expect(within(seconds: 60) { log().contains("upload 2") })
    #expect(post())
    switch way {
    case "INT": process.send(SIGINT)
    case "TERM": process.send(SIGTERM)
    default: #expect(try tool.run("cancel", "last").exitCode == 0)
    }
    if way != "cancel" { #expect(process.waitForErrors("stopping the services")) }
    try tool.write("", to: "go")
    let result = process.result()
    #expect(result.exitCode == 0, "\(result)")
    #expect(log().filter { $0 != "note" } == ["upload 1", "upload 2", "upload 3", "report", "tidy"], "\(log())")
    #expect(log().contains("note"))
  }

  @Test func `a kept run fails if an item has failed`() throws {
    defer { tool.remove() }
    let process = try start("exit 3")
    #expect(within(seconds: 60) { post() })
    #expect(process.waitForOutput("upload[0] failed"))
    process.send(SIGINT)
    let result = process.result()
    #expect(result.exitCode == 1, "\(result)")
    #expect(log().last == "tidy")
  }

  @Test func `a resumed kept run waits for events again`() throws {
    defer { tool.remove() }
    let process = try start("true", "--durable")
    #expect(within(seconds: 60) { post() })
    #expect(process.waitForOutput("upload[0] succeeded"))
    process.send(SIGKILL)
    _ = process.result()
    let resumed = try FlowrunProcess(["resume", "last"], in: tool.folder.path)
    #expect(within(seconds: 60) { post() })
    #expect(resumed.waitForOutput("upload[1] succeeded"))
    resumed.send(SIGINT)
    let result = resumed.result()
    #expect(result.exitCode == 0, "\(result)")
    #expect(log().suffix(2) == ["report", "tidy"], "\(log())")
  }

  @Test func `a kept run ends when a watched file changes, and the next run waits for events`() throws {
    defer { tool.remove() }
    let process = try start("true", "--watch")
    #expect(within(seconds: 60) { post() })
    #expect(within(seconds: 60) { log().contains("upload 1") })
    // The change is repeated, because it may precede the first check of the files.
    let hasRunAgain = try within(seconds: 60) {
      let file = try tool.text(of: "w.yaml")
      try tool.write(file + "# changed\n", to: "w.yaml")
      return within(seconds: 2) { log().contains("tidy") }
    }
    #expect(hasRunAgain)
    #expect(within(seconds: 60) { post() })
    #expect(within(seconds: 60) { log().drop { $0 != "tidy" }.contains("upload 1") })
    process.send(SIGINT)
    #expect(process.result().exitCode == 130)
  }

  @Test(arguments: [
    ("steps: { a: { uses: ui.present } }", false), ("steps: { a: { run: x, after: saved } }", false),
    ("steps: { a: { run: x } }\nfinally: { b: { run: x, service: true } }", false),
    ("steps: { a: { run: x, foreach: { event: saved } } }", true),
    ("steps: { a: { uses: flow.on, with: { event: saved, action: flow.noop } } }", true),
    (
      "steps: { b: { uses: router.register, with: { schemes: [app], routes: ['app://a'] } }, a: { uses: router.receive, needs: b } }",
      true
    ),
  ])
  func `keep: services requires a service, or a step that runs for each post`(steps: String, isAllowed: Bool) throws {
    defer { tool.remove() }
    try tool.write("name: w\nkeep: services\nevents: { saved: { repeats: true } }\n" + steps + "\n", to: "w.yaml")
    let result = try tool.run("validate", "w.yaml")
    #expect(result.standardOutput.contains("'keep: services' needs a service") == !isAllowed, "\(result)")
  }
}
