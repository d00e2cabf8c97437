import FlowModel
import FlowPluginKit
import Testing

@testable import FlowEngine

/// A service that receives events from outside the run: it posts one for each URL that opens the app.
private struct Listener: StepService, DetailedAction {
  static let name = "outside.listen"
  static let summary = "Posts outside.came for each URL"
  static let events = ["outside.came"]
  static let follows = ["app.open-url"]
  static let source = EventSource.outside

  nonisolated(nonsending) func run(_ input: NoInput, in context: ActionContext) async throws -> NoOutput {
    let posts = PostQueue()
    context.follow("app.open-url", into: posts)
    context.ready(NoOutput())
    while let post = await posts.next() {
      try context.post("outside.came", value: post.value)
      context.handledPost()
    }
    return NoOutput()
  }
}

/// An action that posts an event with a secret value.
private struct Opener: Action, DetailedAction {
  static let name = "outside.open"
  static let summary = "Posts outside.opened with a link"
  static let events = ["outside.opened"]
  static let eventValues = {
    var link = FieldDeclaration("outside.opened", .string)
    link.isSecret = true
    return [link]
  }()

  func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
    try context.post("outside.opened", value: "app://product/7")
    return NoOutput()
  }
}

private struct OutsidePlugin: Plugin {
  static let name = "outside"
  var actions: [any ActionType.Type] { [Listener.self, Opener.self] }
}

/// The values of events, as posted by steps, services and apps.
@Suite(.timeLimit(.minutes(10))) struct `Events with values` {
  private static let declared = [
    EventDeclaration("again", repeats: true, value: FieldDeclaration("value", .object(properties: nil))),
    EventDeclaration("link", value: secret), EventDeclaration("plain"),
  ]

  private static let secret = {
    var field = FieldDeclaration("value", .string)
    field.isSecret = true
    return field
  }()

  private func start(
    _ steps: [Step], outputs: ValueObject = [:], _ change: @escaping (inout RunOptions) -> Void = { _ in }
  ) throws -> WorkflowRun {
    var fixture = EngineFixture(steps)
    fixture.workflow.events = Self.declared
    fixture.workflow.outputs = outputs
    fixture.plugins += [OutsidePlugin()]
    fixture.change = {
      $0.acceptsEvents = true
      change(&$0)
    }
    return try fixture.start()
  }

  private func set(_ id: String, _ expression: String, _ change: @escaping (inout StepOptions) -> Void) -> Step {
    Step(id, "flow.set", with: ["values": ["got": .string("${{ \(expression) }}")]], change)
  }

  @Test func `an item receives the value of its post, and outputs receive the value of the last post`() async throws {
    let run = try start(
      [set("each", "item.value.n") { $0.fanOut = FanOut(.posts(of: "again")) }],
      outputs: ["all": "${{ steps.each.outputs.got }}", "last": "${{ events.again.value.n }}"])
    try run.post("again", value: ["n": 1])
    try run.post("again", value: ["n": 2])
    run.finishPosting()
    #expect(await run.report.outputs == ["all": [1, 2], "last": 2])
  }

  @Test func `a step that waits for an event can read the value that another step posted`() async throws {
    let run = try start(
      [
        Step("post", "flow.post", with: ["event": "app.paid", "value": ["order": 17]]),
        set("read", "events['app.paid'].value.order") { $0.after = ["app.paid"] },
      ], outputs: ["read": "${{ steps.read.outputs.got }}", "none": "${{ events.plain.value }}"])
    run.finishPosting()
    #expect(await run.report.outputs == ["read": 17, "none": .null])
  }

  @Test func `an app cannot post an event whose secret value comes from a step, not even without a value`() async throws
  {
    let run = try start(
      [
        Step("listen", "outside.listen"), Step("open", "outside.open") { $0.after = ["link"] },
        set("read", "events['outside.opened'].value == 'app://product/7'") { $0.after = ["outside.opened"] },
      ], outputs: ["read": "${{ steps.read.outputs.got }}"])
    for value: Value in ["app://product/8", .null] {
      let problem = #expect(throws: EventValueProblem.self) { try run.post("outside.opened", value: value) }
      #expect(problem?.description == "event 'outside.opened': only steps of the run post it")
    }
    try run.post("link", value: "go")
    run.finishPosting()
    #expect(await run.report.outputs["read"] == true)
  }

  @Test func `an event that does not repeat keeps the value of its first post`() async throws {
    let run = try start(
      [set("read", "events.link.value == 'first one'") { $0.after = ["link"] }],
      outputs: ["read": "${{ steps.read.outputs.got }}"])
    try run.post("link", value: "first one")
    try run.post("link", value: "second one")
    run.finishPosting()
    #expect(await run.report.outputs["read"] == true)
  }

  @Test(
    arguments: [
      ("plain", 1, "event 'plain' carries no value; declare it under 'events' with 'value: { type: … }'"),
      ("again", "text", "the value of event 'again' does not match its type"),
      ("link", .string(String(repeating: "x", count: 70_000)), "the value of event 'link' is larger than 64 KiB"),
      ("outside.came", 1, "event 'outside.came': only steps of the run post it with a value"),
    ] as [(String, Value, String)])
  func `an app cannot post a value that is undeclared, of a wrong type, too large or reserved for steps`(
    event: String, value: Value, message: String
  ) async throws {
    var problem: EventValueProblem?
    var fixture = EngineFixture([Step("listen", "outside.listen")])
    fixture.workflow.events = Self.declared
    fixture.plugins += [OutsidePlugin()]
    let run = try fixture.start()
    do { try run.post(event, value: value) } catch { problem = error }
    run.cancel()
    _ = await run.report
    // The posting action declares a value that only steps post.
    if event == "outside.came" { return #expect(problem != nil) }
    #expect(problem?.description.hasPrefix(message) == true, "\(problem?.description ?? "taken")")
  }

  @Test func `secret properties of an event's value are treated as secret at any depth`() {
    var token = FieldDeclaration("token", .string)
    token.isSecret = true
    let list = FieldDeclaration("list", .array(of: .object(properties: [token, FieldDeclaration("plain", .string)])))
    var workflow = Workflow(name: "w", steps: [])
    workflow.events = [EventDeclaration("e", value: FieldDeclaration("value", .object(properties: [list])))]
    let rules = EventValueRules(workflow)
    let value: Value = ["list": [["token": "a", "plain": "b"], ["token": "c", "plain": "d"]]]
    #expect(rules.hasSecrets)
    #expect(rules.secretPart(of: value, "e") == ["a", "c"])
    #expect(rules.secretPart(of: .null, "e") != nil)
    #expect(rules.secretPart(of: "a", "e") == "a", "of a value of another type, all is hidden")
    #expect(rules.secretPart(of: value, "f") == nil)
  }

  @Test func `secret values of events are not revealed in the output of a run`() async throws {
    let run = try start(
      [set("read", "format('{0} and more', events.link.value)") { $0.after = ["link"] }],
      outputs: ["read": "${{ steps.read.outputs.got }}"])
    try run.post("link", value: "app://reset/T0PSECRET")
    run.finishPosting()
    let report = await run.report
    #expect(report.outputs["read"] == "*** and more")
    #expect(!JSONText.write(.object(report.value)).contains("T0PSECRET"))
  }

  @Test func `a command-line run waits for an event only if the event has been announced`() async throws {
    func outcome(_ change: @escaping (inout RunOptions) -> Void) async throws -> RunReport {
      let run = try start(
        [
          Step("listen", "outside.listen"),
          Step("came", "flow.noop", needs: [0]) {
            $0.after = ["outside.came"]
            $0.blocking = false
          },
        ]
      ) {
        $0.acceptsEvents = false
        $0.endsOutsideServices = true
        change(&$0)
      }
      return await run.report
    }
    let ended = try await outcome { _ in }
    #expect(ended["came"].reason == .eventNeverPosted && ended.conclusion == .success)
    let due = try await outcome {
      $0.announcedEvents = [("app.open-url", .milliseconds(20))]
      $0.announcedValues = [0: "app://a"]
    }
    #expect(due["came"].outcome == .success && due.conclusion == .success)
  }
}
