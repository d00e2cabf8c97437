import FlowModel
import FlowSQLite
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

@Suite(.timeLimit(.minutes(10))) struct `A launch that goes wrong` {
  let folders: DataFolders

  init() throws { folders = try DataFolders() }

  /// Whenever the process is killed, the store must contain everything or nothing, and the next launch must complete
  /// the import.
  @Test func `R6: imports everything or nothing if it is killed at any moment of the first launch`() throws {
    var cutOff = 0
    for round in 0..<16 {
      let data = folders.folder("round-\(round)")
      let process = try FlowrunProcess(["run", LaunchRun.file, "--data", data, "--launch", "background"])
      // The kills range from before the store exists until after the import. Their exact moments depend on the load of
      // the machine.
      usleep(UInt32(round) * 8_000)
      process.send(SIGKILL)
      _ = process.result()
      let counts = try DataFolders.counts(in: data)
      #expect(counts == [0, 0] || counts == [17, 136], "round \(round) left \(counts)")
      if counts == [0, 0] { cutOff += 1 }
      let next = try LaunchRun(data: data)
      #expect(next.result.exitCode == 0, "\(next.result.errors)")
      #expect(try DataFolders.counts(in: data) == [17, 136])
    }
    #expect(cutOff > 0, "no round was early enough to cut the import off")
  }

  @Test func `L6: fails the gate for a store of a newer version, and reports the store without changing it`() throws {
    let data = folders.folder("a")
    _ = try LaunchRun(data: data)
    try SQLiteConnection(data + "/footprint.sqlite").execute("INSERT INTO Migration VALUES ('9-teleport')")
    let before = try Data(contentsOf: URL(filePath: data + "/footprint.sqlite"))
    let launch = try LaunchRun(data: data)
    #expect(launch.result.exitCode == 1)
    #expect(launch.report["gate"]?["outcome"] == "failed")
    #expect(launch.report["gate"]?["failed"]?.arrayValue?.contains("open-store") == true)
    let error = try #require(launch.step("open-store")["error"])
    #expect(error["code"] == "store-is-newer")
    #expect(error["message"]?.stringValue?.contains(data + "/footprint.sqlite") == true)
    #expect(try launch.step("content-view")["reason"] == "upstream-failed")
    // The user sees a screen with the problem and the options, but no part of the app.
    let seen = try LaunchRun([], data: data)
    #expect(seen.report["gate"]?["outcome"] == "failed")
    #expect(try seen.outcome("recovery-view") == "success" && seen.outcome("recovery-screen") == "success")
    #expect(seen.logs.contains { $0.hasPrefix("the recovery screen is shown: try again, restore a backup") })
    #expect(try seen.step("enter-app")["reason"] == "upstream-failed")
    #expect(try launch.outcome("recovery-view") == "skipped")
    #expect(try Data(contentsOf: URL(filePath: data + "/footprint.sqlite")) == before)
  }

  @Test(arguments: ["background", "location"])
  func `L6, C18: shows the recovery screen if the app is opened after a background launch with a damaged store`(
    _ reason: String
  ) throws {
    let data = folders.folder(reason)
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    let damaged = Data((0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    try damaged.write(to: URL(filePath: data + "/footprint.sqlite"))
    let unseen = try LaunchRun(["--launch", reason], data: data)
    #expect(try unseen.outcome("recovery-view") == "skipped")
    let times = ["app.will-enter-foreground@1s", "app.will-enter-foreground@2s"]
    let seen = try LaunchRun(["--launch", reason] + times.flatMap { ["--event", $0] }, data: data)
    #expect(try seen.outcome("recovery-screen") == "success")
    #expect(seen.events.filter { $0["event"] == "event.posted" && $0["name"] == "ui.ready" }.count == 1)
    #expect(seen.logs.contains { $0.hasPrefix("the recovery screen is shown: try again, restore a backup") })
    // The launch that showed the recovery screen counts as the first one, but the new store must get the templates.
    try FileManager.default.removeItem(atPath: data + "/footprint.sqlite")
    let fresh = try LaunchRun([], data: data)
    #expect(try fresh.step("welcome")["reason"] == "condition")
    #expect(fresh.logs.contains("installed 3 templates"), "\(fresh.logs)")
  }

  @Test func `L6: fails the gate for a file that is not a store, without changing it`() throws {
    let data = folders.folder("a")
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    let diary = String(repeating: "Dear diary, ", count: 500)
    try diary.write(toFile: data + "/footprint.sqlite", atomically: true, encoding: .utf8)
    let launch = try LaunchRun(data: data)
    #expect(launch.result.exitCode == 1)
    #expect(try launch.step("open-store")["error"]?["code"] == "not-a-database")
    #expect(try String(contentsOfFile: data + "/footprint.sqlite", encoding: .utf8) == diary)
  }

  #if os(Linux)
    /// Uses a file system of 64 KiB in memory, on which writes fail with ENOSPC.
    @Test(.enabled(if: getuid() == 0, "mounting a small file system needs root"))
    func `R6: fails the gate on a full disk and reports a remedy, and the next launch completes the import`()
      throws
    {
      let disk = folders.folder("disk")
      try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
      guard mount("tmpfs", disk, "tmpfs", 0, "size=64k") == 0 else {
        withKnownIssue("this machine does not allow a small file system to be mounted") { Issue.record("mount failed") }
        return
      }
      defer { umount2(disk, Int32(MNT_DETACH)) }
      let data = disk + "/data"
      let full = try LaunchRun(data: data)
      #expect(full.result.exitCode == 1)
      let remedy = "free some space and run again; nothing that was stored is lost"
      #expect((full.result.output + full.result.errors).contains(remedy))
      #expect((full.result.output + full.result.errors).contains("disk-full"))
      #expect(mount("tmpfs", disk, "tmpfs", UInt(MS_REMOUNT), "size=4m") == 0)
      #expect(try LaunchRun(data: data).result.exitCode == 0)
      #expect(try DataFolders.counts(in: data) == [17, 136])
    }
  #endif
}
