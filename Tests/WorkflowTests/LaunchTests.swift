import FlowModel
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Launching Footprint` {
  let folders: DataFolders

  init() throws { folders = try DataFolders() }

  @Test func `L39, L6, C17: waits only for the store, the managers, the content view and the local lists`()
    throws
  {
    let launch = try LaunchRun(data: folders.folder("a"))
    #expect(launch.result.exitCode == 0, "\(launch.result.errors)")
    #expect(launch.report["conclusion"] == "success")
    #expect(
      launch.steps { $0["blocking"] == true && $0["reason"] != "disabled" } == [
        "open-store", "journeys", "account", "language", "country-list", "brand-color", "appearance", "content-view",
        "recent-destinations", "trips",
      ])
    for id in launch.steps(where: { $0["blocking"] == true && $0["reason"] != "disabled" }) {
      #expect(try launch.outcome(id) == "success")
    }
  }

  @Test func `L17: creates the content view only when all five managers are ready`() throws {
    let launch = try LaunchRun(data: folders.folder("a"))
    let begins = try launch.milliseconds("content-view", "startedAt")
    for manager in ["account", "language", "country-list", "brand-color", "appearance"] {
      #expect(try launch.milliseconds(manager, "endedAt") <= begins)
    }
    // The order of one launch proves little, so each manager is made slow in turn, and must delay the view.
    for manager in ["account", "language", "country-list", "brand-color", "appearance"] {
      let slow = try LaunchRun.changed(
        in: folders,
        ("\n  \(manager):\n", "\n  \(manager):\n    deadline: { min: 300ms }\n"))
      let launch = try LaunchRun(data: folders.folder("slow-\(manager)"), file: slow)
      #expect(
        try launch.milliseconds("content-view", "startedAt") >= 300, "content-view does not wait for \(manager)")
    }
  }

  @Test func `L34, R3: shows the splash for at least two seconds`() throws {
    let launch = try LaunchRun([], data: folders.folder("a"))
    let gate = try #require(launch.report["gate"])
    let opened = try #require(gate["openedAt"]?.numberValue)
    #expect(gate["outcome"] == "ready")
    let held = try #require(gate["heldByMinMilliseconds"]?.numberValue)
    let ready = try launch.gateReady()
    // Only the minimum may delay the gate. On a busy machine, the launch itself may take longer.
    #expect(opened >= 2000 && gate["min"] == 2000)
    #expect(ready < 2000 ? abs(opened - ready - held) < 0.01 : held == 0)
    #expect(try launch.outcome("splash") == "success")
    #expect(try launch.milliseconds("enter-app", "startedAt") >= opened)
  }

  @Test func `P1, P2, R5, R7, R8: posts launch events in order, and restores state between will-finish and did-finish`()
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
    // The second half of the launch must end before anything is shown.
    #expect(try launch.milliseconds("inspect-launch", "endedAt") <= launch.milliseconds("enter-app", "startedAt"))
  }

  @Test func `R6, L5: imports data and shows the welcome page only at the first launch`() throws {
    let data = folders.folder("a")
    let first = try LaunchRun([], data: data)
    #expect(try first.outcome("welcome") == "success")
    #expect(try DataFolders.counts(in: data) == [17, 136])
    let second = try LaunchRun(data: data)
    #expect(try second.step("welcome")["reason"] == "condition")
    #expect(try DataFolders.counts(in: data) == [17, 136])
  }

  @Test func `L23, L27, L29: loads lists, preferences and configuration in parallel while the splash is visible`()
    throws
  {
    let lists = ["recent-destinations", "trips", "user-preferences", "configuration"]
    let uses = ["footprint.recent-destinations", "footprint.trips", "preferences.load", "storage.values"]
    // Each of these steps takes at least 5 s, so that they overlap only if they run at the same time.
    let file = try LaunchRun.changed(in: folders)
    var text = try String(contentsOfFile: file, encoding: .utf8)
    for (id, action) in zip(lists, uses) {
      let place = try #require(text.firstRange(of: "  \(id):"))
      let line = try #require(text[place.upperBound...].firstRange(of: "    uses: \(action)\n"))
      text.insert(contentsOf: "    deadline: { min: 5s }\n", at: line.upperBound)
    }
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    let launch = try LaunchRun([], data: folders.folder("a"), file: file)
    for (place, one) in lists.enumerated() {
      for other in lists[(place + 1)...] { #expect(try launch.overlap(one, other), "\(one) and \(other)") }
      #expect(try launch.milliseconds("splash", "readyAt") < launch.milliseconds(one, "endedAt"))
    }
    for list in ["recent-destinations", "trips"] {
      #expect(try launch.milliseconds(list, "endedAt") <= launch.milliseconds("enter-app", "startedAt"))
    }
    // The splash is shown before the content view exists, and its animation continues.
    #expect(try launch.milliseconds("splash", "readyAt") <= launch.milliseconds("content-view", "startedAt"))
    #expect(try launch.step("splash")["blocking"] == false)
  }

  @Test func `L20, L21, L41, L42: asks for permission at the first use of the map, but never before the gate opens`()
    throws
  {
    let launch = try LaunchRun(["--event", "map.first-use@2300ms"], data: folders.folder("a"))
    let opened = try launch.gateOpened()
    let asked = try launch.milliseconds("ask-for-location", "startedAt")
    #expect(asked >= opened)
    let begins = try launch.place("ask-for-location") {
      $0["event"] == "step.started" && $0["step"] == "ask-for-location"
    }
    #expect(try launch.place(ofPosted: "map.first-use") < begins)
    #expect(try launch.milliseconds("start-location", "startedAt") >= asked)
    for id in ["start-geocoding", "map-detail", "route-manager", "weather-manager"] {
      #expect(try launch.outcome(id) == "success")
      #expect(try launch.milliseconds(id, "startedAt") >= opened)
    }
    // If the map is used immediately, the request waits until the window is visible.
    let early = try LaunchRun(["--event", "map.first-use@100ms"], data: folders.folder("b"))
    #expect(try early.milliseconds("ask-for-location", "startedAt") >= early.gateOpened())
    let never = try LaunchRun(data: folders.folder("c"))
    #expect(try never.step("ask-for-location")["reason"] == "event-never-posted")
    #expect(never.report["conclusion"] == "success")
  }

  @Test func `L3, L4: checks permissions without asking, and asks for only one of them before the map is used`() throws
  {
    let data = folders.folder("a")
    let checks = ["prepare-location", "notification-status", "cloud-status", "account"]
    let questions = ["ask-for-notifications", "ask-for-location"]
    func asked(_ launch: LaunchRun) -> [String] { launch.logs.filter { $0.hasPrefix("permission ") } }
    // A launch in the background checks everything and asks for nothing.
    let background = try LaunchRun(data: data)
    for id in checks { #expect(try background.outcome(id) == "success") }
    for id in questions { #expect(try background.step(id)["startedAt"] == .null) }
    #expect(asked(background) == [])
    // The checks have not recorded an answer either, so the first launch with a window asks.
    let launch = try LaunchRun(["-i", "notifications=denied"], data: data)
    for id in checks { #expect(try launch.outcome(id) == "success") }
    for one in [background, launch] {
      #expect(one.logs.contains("notifications: not-determined") && one.logs.contains("cloud: switched-off"))
    }
    #expect(asked(launch) == ["permission denied for alert, sound, badge; continuing without notifications"])
    #expect(try launch.milliseconds("ask-for-notifications", "startedAt") >= launch.milliseconds(checks[1], "endedAt"))
    #expect(try launch.step("ask-for-location")["startedAt"] == .null)
    // The next check returns the recorded answer.
    let next = try LaunchRun(data: data)
    #expect(next.logs.contains("notifications: denied") && asked(next) == [])
  }

  @Test func `L37: loads the details of a view when it is opened`() throws {
    let arguments = ["routes", "badges", "profile"].flatMap { ["--event", "\($0).first-use@1ms"] }
    let launch = try LaunchRun(arguments, data: folders.folder("a"))
    for id in ["trip-details", "badges", "profile"] {
      #expect(try launch.outcome(id) == "success")
      #expect(try launch.step(id)["deferred"] == true)
    }
  }

  @Test func `L40: the steps alongside the splash are ready to start before the gate opens`() throws {
    let launch = try LaunchRun([], data: folders.folder("a"))
    let opened = try #require(launch.report["gate"]?["openedAt"]?.numberValue)
    for id in [
      "prepare-location", "prepare-geocoder", "recent-destinations", "trips", "user-preferences", "configuration",
    ] {
      #expect(try launch.milliseconds(id, "readyAt") <= opened)
      #expect(try launch.step(id)["deferred"] == false)
    }
    for id in ["prepare-location", "prepare-geocoder", "user-preferences", "configuration"] {
      #expect(try launch.step(id)["blocking"] == false)
    }
  }

  @Test func `L1: runs the five phases in order`() throws {
    let launch = try LaunchRun(data: folders.folder("a"))
    let ends = try ["system-ready", "app-ready", "view-ready", "data-ready", "services-ready"].map {
      try launch.milliseconds($0, "endedAt")
    }
    #expect(ends == ends.sorted())
  }

  @Test func `P6: cannot open the store in a prewarm step, because the device may be locked`() throws {
    let file = folders.path + "/early.yaml"
    try Data("name: early\nsteps: { store: { uses: storage.open, prewarm: true } }\n".utf8)
      .write(to: URL(fileURLWithPath: file))
    let result = try FlowrunProcess.run(["validate", file])
    #expect(result.exitCode == 2)
    #expect(
      result.output.contains(
        "step 'store' may run before activation, when 'storage.open' cannot read protected data"), "\(result)")
  }

  @Test func `P3, P8: runs only prewarm steps early, and measures the launch from its activation`() throws {
    let launch = try LaunchRun(["--launch", "background", "--prewarm", "300ms"], data: folders.folder("a"))
    #expect(launch.result.exitCode == 0, "\(launch.result.errors)")
    #expect(try #require(launch.report["prewarmMilliseconds"]?.numberValue) >= 300)
    #expect(launch.steps { ($0["startedAt"]?.numberValue ?? 0) < 0 } == ["system-ready"])
    #expect(try #require(launch.report["gate"]?["openedAt"]?.numberValue) > 0)
  }

  @Test func `L11: prefers the language of the run to that of the system`() throws {
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
