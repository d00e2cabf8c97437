import Foundation
import FlowModel
import TestSupport
import Testing

/// Tests runs of `workflows/notification.yaml` with the real binary.
@Suite(.serialized, .timeLimit(.minutes(10))) struct NotificationWorkflowTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  private static let workflow = root + "/workflows/notification.yaml"

  /// The results of a run in a separate data folder.
  private struct Played {
    let exitCode: Int32
    let events: [ValueObject]

    var logs: [String] {
      events.filter { $0["event"] == "step.log" }.compactMap { $0["message"]?.stringValue }
    }

    /// The outputs in the report of the run.
    let outputs: ValueObject

    /// The log messages about pages that were opened.
    var opened: [String] { logs.filter { $0.hasPrefix("opened ") } }

    func outcome(of step: String) -> String? {
      events.last { $0["step"] == .string(step) && $0["outcome"] != nil }?["outcome"]?.stringValue
    }
  }

  private func folder() throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/notification-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  private func play(
    _ inputs: [String], in data: String? = nil, workflow: String = Self.workflow, _ arguments: [String] = []
  ) throws -> Played {
    let own = try data ?? folder()
    defer { if data == nil { try? FileManager.default.removeItem(atPath: own) } }
    let report = own + "/report.json"
    let result = try FlowrunProcess.run(
      ["run", workflow, "--json", "--data", own, "--report", report] + inputs.flatMap { ["-i", $0] } + arguments,
      in: Self.root)
    let outputs = try JSONText.parse(String(contentsOfFile: report, encoding: .utf8)).objectValue?["outputs"]
    let events = try result.lines.map { try JSONText.parse($0).objectValue ?? [:] }
    #expect(result.exitCode == 0, "\(result.errors)")
    return Played(exitCode: result.exitCode, events: events, outputs: outputs?.objectValue ?? [:])
  }

  @Test func `a link that arrives while the app runs opens its page like one that launches the app (N9)`() throws {
    let url = "myapp://product/123?token=T0PSECRET"
    let played = try play(["state=running"], ["--event", "app.open-url@1s=\"\(url)\""])
    #expect(played.opened == ["opened product by app://product/:productId for ***"])
    #expect(played.outputs["links"] == ["product"] && played.outputs["opened"] == 0)
    #expect(!"\(played.events) \(played.outputs)".contains("T0PSECRET"))
  }

  @Test func `a link that arrives before the window is ready is opened once (N9, N33)`() throws {
    let played = try play(["state=running"], ["--event", #"app.open-url@0s="myapp://product/123""#])
    #expect(played.opened == ["opened product by app://product/:productId for ***"])
  }

  @Test func `the run for a tap ends as soon as its page is open, without waiting for an event (N8)`() throws {
    let reminder = Self.root + "/workflows/reminder.yaml"
    let played = try play([], workflow: reminder, ["--launch", "notification=@workflows/samples/tap.json"])
    #expect(played.outputs["opened"] != nil && played.outcome(of: "came") == "skipped")
  }

  @Test func `a tap that launches the app opens its page once (N1, N8, N33, N36, N37)`() throws {
    let played = try play(["state=killed", "payload=@workflows/samples/product.json"])
    #expect(played.opened == ["opened product by app://product/:productId for app://product/12345"])
    let order = [
      "registered 7 routes", "permission granted", "pending.set", "pending.executed", "opened", "pending.completed",
    ]
    #expect(played.logs.filter { line in order.contains { line.hasPrefix($0) } }.count == order.count)
    #expect(
      order.map { start in played.logs.firstIndex { $0.hasPrefix(start) } ?? -1 }
        == order.map { start in played.logs.firstIndex { $0.hasPrefix(start) } ?? -1 }.sorted())
  }

  @Test(arguments: [
    ("background", "payload=@workflows/samples/vip.json", "opened vip by app://vip/:vipId for app://vip/999"),
    ("foreground", "payload=@workflows/samples/vip.json", "opened vip by app://vip/:vipId for app://vip/999"),
    ("killed", "payload=@workflows/samples/vip.json", "opened vip by app://vip/:vipId for app://vip/999"),
    ("url", "url=myapp://product/123", "opened product by app://product/:productId for myapp://product/123"),
  ])
  func `a tap or link opens one page in every state of the app (N9, N10, N11, N33, N34)`(
    state: String, input: String, line: String
  ) throws {
    #expect(try play(["state=\(state)", input]).opened == [line])
  }

  @Test func `an untapped notification shows a banner and opens nothing (N10)`() throws {
    let played = try play(["state=foreground", "payload=@workflows/samples/product.json", "tap=false"])
    #expect(played.opened.isEmpty)
    #expect(played.logs.contains { $0.hasPrefix("banner '新商品上架'") })
  }

  @Test(arguments: ["killed", "background", "foreground"])
  func `a payload without a route does not open a page (N18, N35, N39)`(state: String) throws {
    let played = try play(["state=\(state)", "payload=@workflows/samples/no-route.json"])
    #expect(played.opened.isEmpty)
    #expect(played.logs.contains { $0.hasPrefix("no-route:") })
  }

  @Test func `a notification is shown again if the process was killed while showing it (C21)`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "flowrun-\(UInt64.random(in: 0 ... .max))").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder + "/notifications", withIntermediateDirectories: true)
    // The title exceeds the capacity of a pipe, so showing the notification blocks until the pipe is read.
    let title = Value.string(String(repeating: "x", count: 200_000))
    let waiting: Value = [
      "id": "a", "due-at": 0, "payload": ["aps": ["alert": ["title": title]], "route": "app://vip/1"],
    ]
    try Data(JSONText.bytes(of: waiting)).write(to: URL(filePath: folder + "/notifications/61.json"))
    let pipe = folder + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDWR)
    defer { close(reader) }
    let subcommand = ["notifications", "deliver", "workflows/reminder.yaml", "--data", folder]
    let shows = try FlowrunProcess(subcommand, in: Self.root, standardOutput: pipe)
    var byte: UInt8 = 0
    #expect(read(reader, &byte, 1) == 1)
    #expect(try FlowrunProcess.run(subcommand, in: Self.root).output == "no notification is due\n")
    shows.send(SIGKILL)
    #expect(shows.result().exitCode == 128 + SIGKILL)
    #expect(try FlowrunProcess.run(subcommand, in: Self.root).output.hasPrefix("notification received a: xxx"))
    #expect(try FlowrunProcess.run(subcommand, in: Self.root).output == "no notification is due\n")
  }

  @Test func `the second of two taps opens its page, and the log shows that it replaced the first (N7, C7)`() throws {
    let played = try play([
      "state=killed", "payload=@workflows/samples/product.json", "second=@workflows/samples/vip.json",
    ])
    #expect(played.opened == ["opened vip by app://vip/:vipId for app://vip/999"])
    #expect(played.logs.contains("pending.overwritten app://product/12345"))
  }

  @Test func `the newest tap opens its page even if an older one is delivered again (N7, C4)`() throws {
    let taps = ["state=killed", "payload=@workflows/samples/product.json", "second=@workflows/samples/vip.json"]
    let again = try play(taps + ["deliveries=2", "third=@workflows/samples/product.json"])
    #expect(again.opened == ["opened vip by app://vip/:vipId for app://vip/999"])
    #expect(again.outputs["page"] == "vip" && again.outputs["opened"] == 1)
    let own = try play(taps + ["deliveries=2", "third=@workflows/samples/product.json", "third-id=aba"])
    #expect(own.opened == ["opened product by app://product/:productId for app://product/12345"])
    #expect(own.outputs["page"] == "product")
    let late = try play(taps + ["deliveries=3"])
    #expect(late.opened == ["opened vip by app://vip/:vipId for app://vip/999"])
  }

  @Test(arguments: ["killed", "background", "foreground"])
  func `a silent push does not open a page in any state of the app (C3)`(state: String) throws {
    let silent = #"{"aps": {"content-available": 1}, "route": "app://product/1"}"#
    let played = try play(["state=\(state)", "payload=\(silent)"])
    #expect(played.opened.isEmpty && !played.logs.contains { $0.hasPrefix("banner") || $0.hasPrefix("pending") })
  }

  @Test(arguments: [("killed", true), ("background", false), ("foreground", false), ("url", true)])
  func `the log shows each stage of a link, from receipt to completion (N36)`(state: String, waits: Bool) throws {
    let played = try play(["state=\(state)", "payload=@workflows/samples/product.json", "url=app://product/12345"])
    let order =
      (state == "url" ? [] : ["notification received"]) + (waits ? ["pending.set"] : [])
      + ["pending.executed", "opened", "pending.completed"]
    let found = order.map { start in played.logs.firstIndex { $0.hasPrefix(start) } ?? -1 }
    #expect(!found.contains(-1) && found == found.sorted(), "\(played.logs)")
    #expect(played.logs.contains { $0.hasPrefix("pending.set") } == waits)
  }

  @Test func `a route's defaults are passed to its page, and a modal page is presented (N13, N29)`() throws {
    let bare = try play(["state=killed", #"payload={"route": "app://notification"}"#])
    #expect(bare.outputs["merged"] == ["notificationId": "未知", "message": "无"])
    #expect(bare.outputs["action"] == "push")
    let settings = try play(["state=background", #"payload={"route": "app://settings"}"#])
    #expect(settings.outputs["action"] == "present")
    #expect(settings.opened == ["opened settings, presented, by app://settings for app://settings"])
  }

  @Test(arguments: [
    "url=app://product/1?to%6ben=SECRET", "url=app://product/1?next=app%3A%2F%2Fsearch%3Ftoken%3DSECRET",
    "url=app://SECRET:SECRET@product/1", "url=app://nowhere?auth=SECRET",
  ])
  func `output, events and reports do not contain secrets of a link`(input: String) throws {
    let data = try folder()
    defer { try? FileManager.default.removeItem(atPath: data) }
    for inputs in [
      ["state=url", input],
      ["state=killed", #"payload={"route": "app://product/1", "parameters": {"accessToken": "SECRET"}}"#],
    ] {
      let report = data + "/report.json"
      let result = try FlowrunProcess.run(
        ["run", Self.workflow, "--json", "--data", data, "--report", report] + inputs.flatMap { ["-i", $0] },
        in: Self.root)
      #expect(result.exitCode == 0)
      #expect(!result.output.contains("SECRET") && !result.errors.contains("SECRET"))
      #expect(try !String(contentsOfFile: report, encoding: .utf8).contains("SECRET"))
    }
  }

  /// Test step 3 of the requirements: the notification is scheduled, the app is killed, and the system delivers the
  /// notification, which is then tapped.
  @Test func `a local notification is delivered even if the app was killed (N32, C21)`() throws {
    let data = try folder()
    defer { try? FileManager.default.removeItem(atPath: data) }
    let reminder = Self.root + "/workflows/reminder.yaml"
    let arguments = [reminder, "--data", data]
    let killed = try FlowrunProcess(
      ["run"] + arguments + ["--json", "-i", "after=8s", "-i", "route=app://product/12345"], in: Self.root)
    #expect(killed.waitForOutput("scheduled notification"))
    killed.send(9)
    #expect(killed.result().exitCode == 137)
    let waits = try FlowrunProcess.run(["notifications"] + arguments)
    #expect(waits.lines.count == 1 && waits.output.contains("Your reservation"), "\(waits.output)")
    var options = ""
    while options.isEmpty {
      options = try FlowrunProcess.run(["notifications", "deliver"] + arguments + ["--json"]).output
    }
    #expect(try FlowrunProcess.run(["notifications", "deliver"] + arguments).output == "no notification is due\n")
    let tap = data + "/tap.json"
    try options.write(toFile: tap, atomically: true, encoding: .utf8)
    let launch = try FlowrunProcess.run(
      ["run", Self.root + "/workflows/launch.yaml", "--data", data, "--launch", "notification=@" + tap])
    #expect(launch.output.contains("opened product by app://product/:productId for ***"))
    // If the system does not deliver the notification, the next run of the app does.
    let again = try FlowrunProcess(
      ["run"] + arguments + ["--json", "-i", "after=6s", "-i", "route=app://vip/1"], in: Self.root)
    #expect(again.waitForOutput("scheduled notification"))
    again.send(9)
    _ = again.result()
    let next = try play(
      ["after=10s", "tap-after=10ms", "route=app://vip/2"], in: data, workflow: reminder)
    #expect(next.opened.contains("opened vip by app://vip/:vipId for ***"), "\(next.logs)")
  }

  @Test func `a tap that is delivered three times opens one page (C4)`() throws {
    let played = try play(["state=killed", "payload=@workflows/samples/product.json", "deliveries=3"])
    #expect(played.opened.count == 1)
    #expect(played.logs.filter { $0 == "pending.duplicate app://product/12345" }.count == 2)
  }

  /// The scene becomes active as soon as the view appears, and the trace records that. The page opens only after the
  /// view has settled. In an ordinary launch, the scene becomes active as well, and no page opens.
  @Test func `the activation of the scene is recorded and does not open a page (N27)`() throws {
    func active(_ played: Played) -> [ValueObject] {
      played.events.filter { $0["event"] == "event.posted" && $0["name"] == "app.did-become-active" }
    }
    let played = try play(["state=killed", "payload=@workflows/samples/product.json"])
    let noted = try #require(active(played).first?["at"]?.numberValue)
    let opened = try #require(
      played.events.first { $0["message"]?.stringValue?.hasPrefix("opened ") == true }?["at"]?.numberValue)
    #expect(active(played).count == 1 && opened - noted >= 499)
    let ordinary = try play(["state=killed", "payload=@workflows/samples/no-route.json"])
    #expect(active(ordinary).count == 1 && ordinary.opened.isEmpty)
  }

  @Test func `a notification scheduled by the app is shown, and a tap opens its page (N32, N34)`() throws {
    let played = try play(
      ["after=300ms", "tap-after=100ms", "route=app://product/12345"], workflow: Self.root + "/workflows/reminder.yaml")
    #expect(played.opened == ["opened product by app://product/:productId for ***"])
    let order = [
      "notification delegate installed", "scheduled notification", "notification received", "banner", "opened",
    ]
    let found = order.map { start in played.logs.firstIndex { $0.hasPrefix(start) } ?? -1 }
    #expect(found == found.sorted() && !found.contains(-1), "\(played.logs)")
  }

  @Test func `the run continues if the permission is denied (N14)`() throws {
    let played = try play(["state=killed", "payload=@workflows/samples/product.json", "permission=denied"])
    #expect(played.opened.count == 1)
    #expect(played.logs.contains { $0.hasPrefix("permission denied") })
    #expect(played.outcome(of: "device-token") == "skipped")
  }

  @Test func `a page that cannot be built is reported (N30)`() throws {
    let played = try play(["state=killed", "payload=@workflows/samples/unbuildable.json"])
    #expect(played.opened.isEmpty)
    #expect(played.logs.contains { $0.hasPrefix("handler-failed app://report/7: the page 'report' cannot be built") })
  }

  @Test func `the next launch opens a link if the app was killed before the link was handed off`() throws {
    let data = try folder()
    defer { try? FileManager.default.removeItem(atPath: data) }
    let killed = try FlowrunProcess(
      [
        "run", Self.workflow, "--json", "--data", data, "-i", "state=killed", "-i",
        "payload=@workflows/samples/product.json", "-i", "settle=30s",
      ], in: Self.root)
    // The view has appeared, and the link waits until it has settled, so the kill comes before the hand-off.
    #expect(killed.waitForOutput("ui.ready"))
    killed.send(9)
    #expect(killed.result().exitCode == 137)
    // The next launch is an ordinary one, whose own notification has no route.
    let next = try play(["state=killed", "payload=@workflows/samples/no-route.json"], in: data)
    #expect(next.opened == ["opened product by app://product/:productId for app://product/12345"])
    #expect(next.logs.contains("1 link(s) of an earlier launch wait to be opened"))
    let last = try play(["state=killed", "payload=@workflows/samples/no-route.json"], in: data)
    #expect(last.opened.isEmpty)
  }
}

@Suite(.timeLimit(.minutes(10))) struct RoutesSubcommandTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  private func routes(_ arguments: [String], input: String = "") throws -> FlowrunProcess.Result {
    try FlowrunProcess.run(["routes"] + arguments, in: Self.root, input: input)
  }

  @Test func `flowrun routes lists the routes of a workflow without running it`() throws {
    let result = try routes(["workflows/notification.yaml"])
    #expect(result.exitCode == 0)
    #expect(
      result.lines == [
        "PATTERN                              PAGE          ACTION",
        "app://user/:userId                   user          push",
        "app://settings                       settings      present",
        "app://product/:productId             product       push",
        "app://search                         search        push",
        "app://vip/:vipId                     vip           push",
        "app://notification/:notificationId?  notification  push",
        "app://report/:reportId               report        push",
      ])
  }

  @Test func `flowrun routes check reports that every route is reachable`() throws {
    let result = try routes(["check", "workflows/notification.yaml"])
    #expect(result.exitCode == 0)
    #expect(result.output == "all 7 routes are reachable\n")
  }

  @Test func `flowrun routes open shows the effect of a link, as one line or as JSON`() throws {
    let line = try routes(["open", "workflows/notification.yaml", "app://product/12345?ref=mail"])
    #expect(line.exitCode == 0)
    #expect(
      line.output == "opened  app://product/:productId  page product  {\"productId\":\"12345\",\"ref\":\"mail\"}\n")
    let json = try routes(["open", "workflows/notification.yaml", "app://prodcut/1", "--json"])
    #expect(json.exitCode == 1)
    let object = try JSONText.parse(json.output).objectValue
    #expect(object?["result"] == "not-found")
    #expect(object?["nearest"] == ["app://product/:productId"])
    #expect(object?["parameters"] == ["path": [:], "query": [:], "payload": [:], "fragment": [:]])
  }

  @Test func `flowrun routes open prints one line for each line of standard input`() throws {
    let result = try routes(
      ["open", "workflows/notification.yaml", "-", "--json"],
      input: "app://user/me\r\n\nmyapp://vip/1\njavascript:alert(1)\napp://search?a=1&a=2")
    let objects = try result.lines.map { try JSONText.parse($0).objectValue ?? [:] }
    #expect(objects.map { $0["result"] } == ["opened", "rejected", "opened", "rejected", "opened"])
    #expect(objects.map { $0["reason"] } == [nil, "malformed-url", nil, "scheme-not-allowed", nil].map { $0 ?? .null })
    #expect(objects.last?["parameters"] == ["path": [:], "query": ["a": ["1", "2"]], "payload": [:], "fragment": [:]])
    #expect(objects.last?["merged"] == ["a": "1"])
  }

  @Test func `flowrun routes refuses an invalid source and a missing workflow`() throws {
    #expect(try routes(["open", "workflows/notification.yaml", "app://search", "--source", "mail"]).exitCode == 64)
    let none = try routes(["workflows/launch/no-such.yaml"])
    #expect(none.exitCode == 2)
  }
}
