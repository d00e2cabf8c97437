import FlowModel
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct `Launching Footprint` {
  let folders: DataFolders

  init() throws { folders = try DataFolders() }

  @Test func `L39 L6 the gate waits for the store, the five managers and the content view and for nothing else`() throws
  {
    let launch = try LaunchRun(data: folders.folder("a"))
    #expect(launch.result.exitCode == 0, "\(launch.result.errors)")
    #expect(launch.report["conclusion"] == "success")
    #expect(
      launch.steps { $0["blocking"] == true } == [
        "open-store", "account", "language", "country-list", "brand-color", "appearance", "content-view",
      ])
    for id in launch.steps(where: { $0["blocking"] == true }) { #expect(try launch.outcome(id) == "success") }
  }

  @Test func `L17 the content view begins when all five managers are done`() throws {
    let launch = try LaunchRun(data: folders.folder("a"))
    let begins = try launch.milliseconds("content-view", "startedAt")
    for manager in ["account", "language", "country-list", "brand-color", "appearance"] {
      #expect(try launch.milliseconds(manager, "endedAt") <= begins)
    }
  }

  @Test func `L34 R3 the splash is held for two seconds, never less, and then gives way`() throws {
    let launch = try LaunchRun([], data: folders.folder("a"))
    let gate = try #require(launch.report["gate"])
    let opened = try #require(gate["openedAt"]?.numberValue)
    #expect(gate["outcome"] == "ready")
    #expect(opened >= 2000 && opened < 2500)
    #expect(try #require(gate["heldByMinMilliseconds"]?.numberValue) > 1000)
    #expect(try launch.outcome("splash") == "success")
    #expect(try launch.milliseconds("enter-app", "startedAt") >= opened)
  }

  @Test(arguments: ["background", "location"])
  func `R9 a launch in the background has no floor and shows nothing`(_ reason: String) throws {
    let launch = try LaunchRun(["--launch", reason], data: folders.folder("a"))
    #expect(launch.result.exitCode == 0)
    #expect(launch.report["launchReason"] == .string(reason))
    #expect(try #require(launch.report["gate"]?["heldByMinMilliseconds"]?.numberValue) < 10)
    #expect(try launch.step("enter-app")["reason"] == "condition")
    #expect(!launch.events.contains { $0["name"] == "ui.ready" })
  }

  @Test func `R13 only a location launch locates at once, before the gate's deferred steps`() throws {
    #expect(try LaunchRun(["--launch", "location"], data: folders.folder("a")).outcome("locate-at-once") == "success")
    #expect(try LaunchRun(data: folders.folder("b")).step("locate-at-once")["reason"] == "condition")
  }

  @Test func `P1 P2 R5 R7 R8 the events of the launch come in order, with state restored between the two halves`()
    throws
  {
    let launch = try LaunchRun([], data: folders.folder("a"))
    let restoring = try launch.place("restore") { $0["event"] == "step.started" && $0["step"] == "restore" }
    let gate = try launch.place("the gate") { $0["event"] == "gate.opened" }
    let places = [
      try launch.place(ofPosted: "activate"), try launch.place(ofPosted: "app.will-finish-launching"), restoring,
      try launch.place(ofPosted: "app.did-finish-launching"), try launch.place(ofPosted: "scene.connect"), gate,
      try launch.place(ofPosted: "ui.ready"), try launch.place(ofPosted: "app.did-become-active"),
    ]
    #expect(places == places.sorted())
    // What belongs to the second half is over before anything is shown.
    #expect(try launch.milliseconds("inspect-launch", "endedAt") <= launch.milliseconds("enter-app", "startedAt"))
  }

  @Test func `R6 L5 the first launch imports and welcomes, the second finds everything and does neither`() throws {
    let data = folders.folder("a")
    let first = try LaunchRun(data: data)
    #expect(try first.outcome("welcome") == "success")
    #expect(try DataFolders.counts(in: data) == [17, 136])
    let second = try LaunchRun(data: data)
    #expect(try second.step("welcome")["reason"] == "condition")
    #expect(try DataFolders.counts(in: data) == [17, 136])
  }

  @Test
  func
    `L8 L9 L25 L36 the cloud is out and nobody minds; switched on, it comes before the lists and no dependant changes`()
    throws
  {
    let off = try LaunchRun(data: folders.folder("off"))
    for id in ["connect-cloud", "wait-for-cloud", "sync-in-background"] {
      #expect(try off.step(id)["reason"] == "disabled")
    }
    #expect(try off.outcome("trips") == "success")

    try FileManager.default.copyItem(atPath: LaunchRun.folder + "/launch", toPath: folders.folder("launch"))
    let file = folders.folder("launch.yaml")
    let text = try String(contentsOfFile: LaunchRun.file, encoding: .utf8)
    try text.replacing("enabled: false", with: "enabled: true").write(toFile: file, atomically: true, encoding: .utf8)
    let first = try LaunchRun(data: folders.folder("on"), file: file)
    #expect(first.result.exitCode == 0, "\(first.result.errors)")
    #expect(try first.milliseconds("wait-for-cloud", "endedAt") <= first.milliseconds("trips", "startedAt"))
    // Only a first launch waits; later ones begin with what is there.
    let second = try LaunchRun(data: folders.folder("on"), file: file)
    #expect(try second.step("wait-for-cloud")["reason"] == "condition")
    #expect(try second.outcome("trips") == "success")
  }

  @Test func `L23 L27 L29 lists, preferences and configuration load beside the splash and beside each other`() throws {
    let launch = try LaunchRun(data: folders.folder("a"))
    let ready = try ["recent-destinations", "trips", "user-preferences", "configuration"].map {
      try launch.milliseconds($0, "readyAt")
    }
    #expect(Set(ready).count == 1)
    #expect(try launch.step("splash")["blocking"] == false)
  }

  @Test func `L20 L21 L41 the permission is asked for at the first use of the map and not before the gate`() throws {
    let launch = try LaunchRun(["--launch", "background", "--event", "map.first-use@400ms"], data: folders.folder("a"))
    let opened = try #require(launch.report["gate"]?["openedAt"]?.numberValue)
    let asked = try launch.milliseconds("ask-for-location", "startedAt")
    #expect(asked >= opened)
    let begins = try launch.place("ask-for-location") {
      $0["event"] == "step.started" && $0["step"] == "ask-for-location"
    }
    #expect(try launch.place(ofPosted: "map.first-use") < begins)
    #expect(try launch.milliseconds("start-location", "startedAt") >= asked)
    let never = try LaunchRun(data: folders.folder("b"))
    #expect(try never.step("ask-for-location")["reason"] == "event-never-posted")
    #expect(never.report["conclusion"] == "success")
  }

  @Test func `L37 a view's details load when it is opened`() throws {
    let arguments = ["routes", "badges", "profile"].flatMap { ["--event", "\($0).first-use@1ms"] }
    let launch = try LaunchRun(["--launch", "background"] + arguments, data: folders.folder("a"))
    for id in ["trip-details", "badges", "profile"] {
      #expect(try launch.outcome(id) == "success")
      #expect(try launch.step(id)["deferred"] == true)
    }
  }

  @Test func `L40 what runs beside the splash is over or under way when the gate opens`() throws {
    let launch = try LaunchRun([], data: folders.folder("a"))
    let opened = try #require(launch.report["gate"]?["openedAt"]?.numberValue)
    for id in [
      "prepare-location", "prepare-geocoder", "recent-destinations", "trips", "user-preferences", "configuration",
    ] {
      #expect(try launch.milliseconds(id, "startedAt") <= opened)
    }
  }

  @Test func `L1 the five phases come in their order`() throws {
    let launch = try LaunchRun(data: folders.folder("a"))
    let ends = try ["system-ready", "app-ready", "view-ready", "data-ready", "services-ready"].map {
      try launch.milliseconds($0, "endedAt")
    }
    #expect(ends == ends.sorted())
  }

  @Test func `P3 P8 prewarmed, only what may run early does, and the launch is timed from its activation`() throws {
    let launch = try LaunchRun(["--launch", "background", "--prewarm", "300ms"], data: folders.folder("a"))
    #expect(launch.result.exitCode == 0, "\(launch.result.errors)")
    #expect(try #require(launch.report["prewarmMilliseconds"]?.numberValue) >= 300)
    #expect(launch.steps { ($0["startedAt"]?.numberValue ?? 0) < 0 } == ["system-ready"])
    #expect(try #require(launch.report["gate"]?["openedAt"]?.numberValue) > 0)
  }

  @Test func `L11 the language of the run goes before the system's`() throws {
    let data = folders.folder("a")
    func language(_ arguments: [String], _ locale: String) throws -> String? {
      let result = try FlowrunProcess.run(
        ["run", LaunchRun.file, "--data", data, "--launch", "background"] + arguments,
        environment: ["LANG": locale, "LC_ALL": "", "LANGUAGE": ""])
      return result.lines.first { $0.hasPrefix("language: ") }
    }
    #expect(try language([], "zh_CN.UTF-8") == "language: zh-Hans")
    #expect(try language(["-i", "language=en"], "zh_CN.UTF-8") == "language: en")
    #expect(try language([], "C") == "language: en")
  }
}
