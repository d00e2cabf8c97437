import FlowModel
import FlowTestKit
import Foundation
import Synchronization
import SyncPomodoro
import SyncDevice
import Testing

@testable import PomodoroPlugin
@testable import SyncPlugin

/// Tests the timer in the terminal.
@Suite(.timeLimit(.minutes(10))) struct TimerTests {
  @Test func `parses every command of the timer`() throws {
    let cases: [(String, TimerCommand?)] = [
      ("focus 25m", .start(.focus, .seconds(1500))), ("  Break 5m ", .start(.breakTime, .seconds(300))),
      ("snooze", .set(.snooze)), ("idle", .set(.idle)), ("pause", .pause), ("resume", .resume), ("done", .done),
      ("reset", .reset), ("offline", .offline), ("online", .online), ("status", .status), ("help", .help),
      ("parked", .parked), ("retry", .retry(nil)), ("retry 3", .retry(3)), ("discard 3", .discard(3)),
      ("retire mac", .retire("mac")), ("set theme very dark", .setting("theme", "very dark")), ("", nil), ("   ", nil),
    ]
    for (line, command) in cases { #expect(try TimerCommand(line) == command, "\(line)") }
  }

  @Test(arguments: [
    ("focus", "'focus' needs a duration, as in: focus 25m"), ("break 5", "'5' is not a duration up to 24h"),
    ("focus 25h", "'25h' is not a duration up to 24h"), ("pauze", "did you mean 'pause'?"),
    ("idle now", "'idle' takes nothing after it"), ("set theme", "'set' takes a name and a value"),
    ("xyzzy", "'xyzzy' is not a command; help lists them"), ("discard", "'discard' needs a number"),
    ("retry x", "'x' is not a change number"), ("retire", "'retire' needs a device's name"),
  ])
  func `reports why a command is invalid`(_ line: String, _ message: String) {
    #expect {
      try TimerCommand(line)
    } throws: {
      "\($0)".contains(message)
    }
  }

  @Test func `S26, F3: merges the changes of two devices, one of which was offline`() async throws {
    let folder = NSTemporaryDirectory() + "sync-timer-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let mac = try await Connection.open(
      device: "mac", zone: "PomodoroZone", home: .file(folder + "/shared.sqlite"), file: folder + "/mac.sqlite")
    let phone = try await Connection.open(
      device: "phone", zone: "PomodoroZone", home: .file(folder + "/shared.sqlite"), file: folder + "/phone.sqlite")
    let shown = Mutex<[String]>([])
    let console = TimerConsole(connection: phone) { line in shown.withLock { $0.append(line) } }
    try await phone.pull(timeout: .seconds(60))
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    for line in ["offline", "break 5m", "nonsense", "done"] { continuation.yield(line) }
    // The phone goes offline before the Mac changes the state, so neither device sees the other's change.
    await phone.session.setOnline(false)
    try await mac.set(TimerState(kind: .focus, remainingMilliseconds: 1_500_000))
    try await mac.flush(timeout: .seconds(60))
    continuation.yield("online")
    continuation.finish()
    let output = try await console.run(lines: lines, timeout: .seconds(60))
    #expect(output.commands == 4)
    #expect(output.rejected == 1)
    #expect(output.waiting == 0)
    #expect(output.timer?["stateType"] == "focus")
    #expect(output.timer?["completedPomodoros"] == 1)
    try await mac.pull(timeout: .seconds(60))
    #expect(await mac.timer()?.value == output.timer)
    #expect(shown.withLock { $0 }.contains { $0.contains("offline: your changes are kept") })
    try mac.close()
    try phone.close()
  }

  @Test func `returns the remaining time while the timer runs, and nothing while it is paused`() async throws {
    let folder = NSTemporaryDirectory() + "sync-watch-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let connection = try await Connection.open(
      device: "mac", zone: "PomodoroZone", home: .file(folder + "/shared.sqlite"), file: folder + "/mac.sqlite")
    let console = TimerConsole(connection: connection) { _ in }
    #expect(await console.running() == nil)
    try await connection.set(TimerState(kind: .focus, remainingMilliseconds: 1_500_000))
    #expect(await console.running()?.hasPrefix("focus 2") == true)
    try await connection.set(TimerState(kind: .focus, remainingMilliseconds: 1_500_000, isPaused: true))
    #expect(await console.running() == nil)
    try connection.close()
  }

  @Test(arguments: [
    (0, "25:00"), (1, "25:00"), (999, "25:00"), (1000, "24:59"), (90_001, "23:30"), (2_000_000, "0:00"),
    // If the time is negative, the clock of the device that started the timer is ahead.
    (-1, "25:00"), (-60_000, "25:00"),
  ])
  func `shows the remaining time rounded up to whole seconds`(
    _ later: Int64, _ left: String
  ) {
    let running = TimerState(kind: .focus, remainingMilliseconds: 1_500_000)
    #expect(
      NoticeText.text(NoticeText.left(of: running, setAtMilliseconds: 5000, atMilliseconds: 5000 + later))
        == "focus \(left)")
    var paused = running
    paused.isPaused = true
    #expect(
      NoticeText.text(NoticeText.left(of: paused, setAtMilliseconds: 5000, atMilliseconds: 5000 + later))
        == "focus 25:00 paused")
  }
}
