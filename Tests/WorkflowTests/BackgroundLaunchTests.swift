import FlowModel
import Foundation
import TestSupport
import Testing

/// Tests launches without a visible window, and windows that appear later.
@Suite(.timeLimit(.minutes(10))) struct `A launch in the background` {
  let folders: DataFolders

  init() throws { folders = try DataFolders() }

  private static let samples = LaunchRun.folder + "/samples"

  @Test(arguments: ["background", "location"])
  func `R1, R9, C11: has a gate with no minimum and a maximum of 1 s, and shows no window or prompt`(_ reason: String)
    throws
  {
    let launch = try LaunchRun(["--launch", reason, "--event", "map.first-use@300ms"], data: folders.folder("a"))
    #expect(launch.result.exitCode == 0)
    #expect(launch.report["launchReason"] == .string(reason))
    #expect(try #require(launch.report["gate"]?["heldByMinMilliseconds"]?.numberValue) < 10)
    #expect(try launch.step("enter-app")["reason"] == "condition")
    #expect(!launch.events.contains { $0["name"] == "ui.ready" })
    for id in ["ask-for-location", "start-geocoding", "map-detail", "enter-from-background"] {
      #expect(try launch.step(id)["reason"] == "event-never-posted")
    }
    #expect(try launch.step("ask-for-notifications")["reason"] == "condition")
    // The account step takes longer than the maximum, so the gate times out after one second instead of five.
    let stuck = try LaunchRun.changed(
      in: folders, keepsMaximum: true,
      ("    uses: preferences.account\n", "    uses: preferences.account\n    deadline: { min: 3s }\n"))
    let late = try LaunchRun(["--launch", reason], data: folders.folder("b"), file: stuck)
    #expect(late.report["gate"]?["outcome"] == "timed-out")
    #expect(try late.gateOpened() >= 1_000 && late.report["gate"]?["max"] == 1_000)
  }

  @Test func `C18, R1: shows the window once, after a separate splash, when the app is opened`() throws {
    let launch = try LaunchRun(
      ["--launch", "background", "--event", "app.will-enter-foreground@1500ms", "--event", "map.first-use@1s"],
      data: folders.folder("a"))
    #expect(launch.result.exitCode == 0)
    #expect(launch.events.filter { $0["event"] == "event.posted" && $0["name"] == "ui.ready" }.count == 1)
    let shown = try launch.milliseconds("enter-from-background", "startedAt")
    #expect(shown >= 3_300)
    #expect(try launch.milliseconds("ask-for-location", "startedAt") >= shown)
    #expect(try launch.outcome("map-detail") == "success")
    // After a launch in the foreground, the window already exists, so no second one is shown.
    let usual = try LaunchRun(["--event", "app.will-enter-foreground@2300ms"], data: folders.folder("b"))
    #expect(usual.events.filter { $0["event"] == "event.posted" && $0["name"] == "ui.ready" }.count == 1)
    #expect(try usual.step("enter-from-background")["reason"] == "disabled")
  }

  @Test func `C18, L2: repeats the entry steps at each return to the foreground, and reports the entries`() throws {
    let times = ["1500ms", "4s", "4500ms"]
    // The step keeps the run alive long enough for the calls of each entry.
    let stay = "steps:\n  stay: { uses: flow.sleep, with: { for: 10s }, blocking: false }\n"
    let file = try LaunchRun.changed(in: folders, ("\nsteps:\n", "\n" + stay))
    let launch = try LaunchRun(
      ["--launch", "background"] + times.flatMap { ["--event", "app.will-enter-foreground@\($0)"] },
      data: folders.folder("a"), file: file)
    #expect(launch.result.exitCode == 0)
    let entries = try #require(launch.report["entries"]?.arrayValue)
    #expect(entries.map { $0["kind"] } == ["cold", "warm", "hot", "hot"])
    #expect(entries.map { $0["number"] } == [1, 1, 2, 3])
    let opened = try entries.prefix(2).map { try #require($0["openedAt"]?.numberValue) }
    let came = try #require(entries[1]["at"]?.numberValue)
    #expect(opened[0] < opened[1] && opened[1] >= came + 2_000)
    #expect(
      launch.logs.filter { $0.hasPrefix("in front again") } == (1...3).map { "in front again, entry \($0)" })
    let posts = launch.events.filter { $0["event"] == "event.posted" && $0["name"] == "app.will-enter-foreground" }
    #expect(posts.map { $0["number"] } == [1, 2, 3])
    #expect(launch.events.filter { $0["event"] == "event.posted" && $0["name"] == "ui.ready" }.count == 1)
    // A launch in the foreground has only hot entries, because the window already exists.
    let usual = try LaunchRun(
      ["-i", "cloud=fast", "--event", "app.will-enter-foreground@2500ms"], data: folders.folder("b"), file: file)
    #expect(try #require(usual.report["entries"]?.arrayValue).map { $0["kind"] } == ["cold", "hot"])
    for action in ["footprint.trips", "pomodoro.pull"] {
      #expect(usual.logs.contains("app.will-enter-foreground 1: \(action) succeeded"), "\(usual.logs)")
    }
  }

  @Test func `C3: does not open a page for a silent push, even if the app is opened or its icon is tapped later`()
    throws
  {
    let data = folders.folder("a")
    let silent = ["--launch", "background=@\(Self.samples)/silent.json"]
    let push = try LaunchRun(silent + ["--event", "app.will-enter-foreground@300ms"], data: data)
    #expect(push.logs.contains("notification received; it was not tapped, so it opens nothing"))
    #expect(try push.outcome("enter-from-background") == "success")
    #expect(try push.step("hold-launch-link")["reason"] == "condition")
    let icon = try LaunchRun([], data: data)
    for launch in [push, icon] {
      #expect(!launch.logs.contains { $0.hasPrefix("opened") || $0.hasPrefix("pending.set") })
      #expect(launch.report["outputs"]?["opened"] == .null)
    }
  }

  @Test func `C10, C20, N1, N16: opens the page of a tapped notification without a minimum for the gate`() throws {
    let launch = try LaunchRun(
      ["--launch", "notification=@\(Self.samples)/tap.json"], data: folders.folder("a"))
    #expect(launch.report["gate"]?["heldByMinMilliseconds"]?.numberValue ?? 100 < 10)
    #expect(launch.logs.contains("opened product by app://product/:productId for ***"))
    #expect(launch.report["outputs"]?["opened"] == "product")
    #expect(launch.report["gate"]?["min"] == 0)
  }

  @Test(
    arguments: [
      #"{"urlContexts":[{"url":"app://product/5"}]}"#,
      #"{"userActivities":[{"activityType":"com.example.restore"},{"webpageURL":"app://product/5"}]}"#,
    ]) func `C10: opens a scene's link, and omits the gate's minimum only if there is a link`(options: String) throws
  {
    let data = folders.folder("a")
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    try options.write(toFile: data + "/scene.json", atomically: true, encoding: .utf8)
    let launch = try LaunchRun(["--launch", "scene=@\(data)/scene.json"], data: data)
    #expect(launch.report["gate"]?["heldByMinMilliseconds"]?.numberValue ?? 100 < 10)
    #expect(launch.report["outputs"]?["opened"] == "product")
    try #"{"userActivities":[{"activityType":"com.example.restore"}]}"#
      .write(toFile: data + "/scene.json", atomically: true, encoding: .utf8)
    let restored = try LaunchRun(["--launch", "scene=@\(data)/scene.json"], data: data)
    #expect(try restored.gateOpened() >= 2_000)
  }

  @Test func `welcomes the user at the first launch that shows a window`() throws {
    let data = folders.folder("a")
    #expect(try LaunchRun(data: data).outcome("welcome") == "success")
    #expect(try LaunchRun([], data: data).outcome("welcome") == "success")
    #expect(try LaunchRun([], data: data).step("welcome")["reason"] == "condition")
    #expect(try LaunchRun(data: data).step("welcome")["reason"] == "condition")
  }

  @Test(arguments: [["--launch", "location"], ["--launch", "background=@\(samples)/position.json"]])
  func `R12, R13: immediately handles the position that launched the app, before any deferred step`(
    _ arguments: [String]
  ) throws {
    // Deferred steps start once the app is opened.
    let launch = try LaunchRun(
      arguments + ["--event", "app.will-enter-foreground@1200ms"], data: folders.folder("a"))
    #expect(try launch.outcome("locate-at-once") == "success")
    #expect(try launch.step("locate-at-once")["deferred"] == false)
    let begins = try launch.place("locate-at-once") {
      $0["event"] == "step.started" && $0["step"] == "locate-at-once"
    }
    #expect(try launch.place(ofPosted: "app.did-finish-launching") < begins)
    let deferred = launch.steps { $0["deferred"] == true }
    let first = try #require(
      launch.events.firstIndex {
        $0["event"] == "step.started" && deferred.contains($0["step"]?.stringValue ?? "")
      })
    #expect(begins < first)
    #expect(try LaunchRun(data: folders.folder("b")).step("locate-at-once")["reason"] == "condition")
    #expect(try LaunchRun([], data: folders.folder("c")).step("start-location")["deferred"] == true)
  }

  @Test func `R13, C18: succeeds without location permission, and logs that the position is not used`() throws {
    let data = folders.folder("a")
    let denied = try LaunchRun(["-i", "location=denied", "--event", "map.first-use@2100ms"], data: data)
    #expect(try denied.step("start-location")["reason"] == "condition")
    let launch = try LaunchRun(["--launch", "location"], data: data)
    #expect(launch.report["conclusion"] == "success")
    #expect(try launch.step("locate-at-once")["reason"] == "condition")
    #expect(launch.logs.contains("launched for a position, which the person does not allow: nothing is located"))
  }
}
