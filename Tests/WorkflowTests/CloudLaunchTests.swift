import FlowModel
import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tests the cloud, which is disabled by default, and the duration of a launch on a phone.
@Suite(.timeLimit(.minutes(10))) struct `A launch with a cloud` {
  let folders: DataFolders

  init() throws { folders = try DataFolders() }

  private static let cloudSteps = ["connect-cloud", "pull-from-cloud", "refresh-lists", "sync-in-background"]

  @Test func `L8, L36, C8: succeeds and skips the cloud steps if the cloud is disabled`() throws {
    let launch = try LaunchRun(data: folders.folder("a"))
    for id in Self.cloudSteps + ["key-data"] { #expect(try launch.step(id)["reason"] == "disabled") }
    #expect(try launch.outcome("trips") == "success")
    #expect(launch.report["conclusion"] == "success")
  }

  @Test func `L9, L25, L37: refreshes the lists at the first launch, while later launches do not wait for the cloud`()
    throws
  {
    let data = folders.folder("a")
    let first = try LaunchRun(["-i", "cloud=fast"], data: data)
    #expect(first.report["conclusion"] == "success", "\(first.result.errors)")
    for id in Self.cloudSteps { #expect(try first.outcome(id) == "success") }
    #expect(try first.milliseconds("trips", "endedAt") <= first.gateReady())
    #expect(try first.milliseconds("refresh-lists", "startedAt") >= first.milliseconds("pull-from-cloud", "endedAt"))
    #expect(try first.step("sync-in-background")["deferred"] == true)
    let second = try LaunchRun(["-i", "cloud=fast"], data: data)
    #expect(try second.step("pull-from-cloud")["reason"] == "condition")
    #expect(try second.outcome("trips") == "success")
  }

  @Test func `L36: shows the local lists if the cloud cannot be reached, and exits with 0`() throws {
    let launch = try LaunchRun(["-i", "cloud=down"], data: folders.folder("a"))
    #expect(launch.result.exitCode == 0, "\(launch.result.errors)")
    #expect(try launch.outcome("enter-app") == "success" && launch.outcome("trips") == "success")
  }

  @Test
  func `L18, L30, L36, C17: shows local lists first, and refreshes them when a slow cloud responds`()
    throws
  {
    let launch = try LaunchRun(["-i", "cloud=slow"], data: folders.folder("a"))
    #expect(launch.report["gate"]?["outcome"] == "ready")
    // The key data have their own deadline, which is below the maximum.
    #expect(try launch.gateOpened() >= 3_000)
    #expect(try launch.outcome("key-data") == "timed-out")
    // Each answer of the slow cloud takes six seconds, and the pull waits for it.
    #expect(try launch.step("pull-from-cloud")["outcome"] == "success")
    #expect(try launch.milliseconds("pull-from-cloud", "endedAt") >= 6_000)
    for id in ["recent-destinations", "trips"] {
      #expect(try launch.milliseconds(id, "endedAt") <= launch.gateReady())
    }
    #expect(try launch.milliseconds("refresh-lists", "startedAt") >= 6_000)
    #expect(try launch.outcome("refresh-lists") == "success")
  }

  @Test func `L36, C8: opens the gate and concludes as partial if the cloud cannot be reached`() throws {
    let launch = try LaunchRun(["-i", "cloud=down"], data: folders.folder("a"))
    #expect(launch.result.exitCode == 0)
    #expect(launch.report["conclusion"] == "partial")
    #expect(launch.report["gate"]?["outcome"] == "ready")
    #expect(try launch.step("pull-from-cloud")["error"]?["code"] == "sync-timeout")
    #expect(try launch.step("refresh-lists")["reason"] == "condition")
    // Only the description of the device is waiting to be sent, so the next launch does not pull (L25).
    let next = try LaunchRun(["-i", "cloud=fast"], data: folders.folder("a"))
    #expect(next.report["conclusion"] == "success")
    #expect(try next.step("pull-from-cloud")["reason"] == "condition")
  }

  @Test(arguments: [("fast", 1_100.0), ("normal", 1_400), ("first", 1_900)])
  func `L31, L32, L33: takes at least as long as its profile specifies, and at least the gate's minimum`(
    profile: String, total: Double
  ) throws {
    let launch = try LaunchRun(["-i", "profile=\(profile)"], data: folders.folder("a"))
    let ready = try launch.gateReady()
    // The duration exceeds the sum by the time that this machine needs.
    #expect(ready >= total)
    #expect(launch.report["gate"]?["outcome"] == "ready")
    #expect(try launch.gateOpened() >= 2_000)
  }

  @Test func `L33, L35, C17: times out after 5 s if the gate waits for the cloud without a separate limit`() throws {
    let launch = try LaunchRun(["-i", "profile=slow"], data: folders.folder("a"), file: LaunchRun.file)
    #expect(launch.report["gate"]?["outcome"] == "timed-out")
    #expect(try launch.gateOpened() >= 5_000 && launch.report["gate"]?["max"] == 5_000)
    #expect(launch.report["gate"]?["late"]?.arrayValue?.contains("key-data-at-any-price") == true)
    #expect(launch.result.exitCode == 0)
    let strict = try LaunchRun(["-i", "profile=slow", "--strict"], data: folders.folder("b"), file: LaunchRun.file)
    #expect(strict.result.exitCode == 124)
  }

  @Test func `C9, R4: warns before the run about unusual gate bounds and a launch screen that is too large`() throws {
    let file = try LaunchRun.changed(
      in: folders, keepsMaximum: true, ("&& '0s' || '2s'", "&& '0s' || '1s'"), ("&& '1s' || '5s'", "&& '1s' || '9s'"))
    let screen = URL(filePath: file).deletingLastPathComponent().appending(path: "launch/launch-screen.storyboard").path
    #expect(truncate(screen, 25_000_001) == 0)
    let result = try FlowrunProcess.run(["validate", file])
    #expect(result.exitCode == 0)
    for warning in [
      "min of the launch gate is 1s, outside 2s to 2s500ms", "max of the launch gate is 9s, outside 4s to 5s",
      "the launch screen 'launch/launch-screen.storyboard' has 25000001 bytes",
    ] { #expect(result.output.contains(warning), "\(result.output)") }
    #expect(truncate(screen, 25_000_000) == 0)
    #expect(try !FlowrunProcess.run(["validate", file]).output.contains("has 25000000 bytes"))
  }

  @Test func `L7, L15, C12: does not report a step as longer than estimated if it was not`() throws {
    let report = folders.folder("report.json")
    let result = try FlowrunProcess.run(
      ["run", LaunchRun.file, "--data", folders.folder("a"), "-i", "profile=fast", "--report", report])
    #expect(result.output.contains("account succeeded in"))
    let account = try #require(try JSONText.parse(String(contentsOfFile: report, encoding: .utf8))["steps"]?["account"])
    let ended = try #require(account["endedAt"]?.numberValue)
    let longer = result.lines.filter { $0.hasPrefix("longer than estimated: ") }
    // On a busy machine, the step may take longer than estimated.
    if try ended - #require(account["startedAt"]?.numberValue) <= 300 {
      #expect(!longer.joined().contains(" account "), "\(longer)")
    }
  }
}
