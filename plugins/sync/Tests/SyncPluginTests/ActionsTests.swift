import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import Testing

@testable import SyncPlugin

/// The actions on real files, as a run calls them.
@Suite(.timeLimit(.minutes(1))) struct ActionsTests {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "sync-actions-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func connected(_ device: String) async throws -> TestHost {
    let host = TestHost(dataFolder: folder, workflowFolder: folder)
    _ = try await host.call(Connect.self, with: ["device": .string(device), "store": "shared.sqlite"])
    return host
  }

  private func code(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? ActionError)?.code ?? "\(error)"
    }
  }

  @Test func `S14 S16 what one device pushes another pulls, as a record with seven fields`() async throws {
    let (mac, phone) = (try await connected("mac"), try await connected("phone"))
    let pushed = try await mac.call(
      Push.self, with: ["state": "focus", "remaining": "25m", "completed": 2])
    #expect(pushed["acknowledged"] == true)
    let pulled = try await phone.call(Pull.self)
    let timer = try #require(pulled["timer"]?.objectValue)
    #expect(timer["stateType"] == "focus")
    #expect(timer["stateData"] == #"{"remainingSeconds":1500}"#)
    #expect(timer["completedPomodoros"] == 2)
    #expect(timer["deviceID"]?.stringValue?.hasPrefix("mac-") == true)
    #expect(Set(timer.keys).count == 7)
    let status = try await mac.call(Status.self)
    #expect(status["outbox"] == 0)
    #expect(status["level"] == "normal")
    try mac.closeResources()
    try phone.closeResources()
  }

  @Test func `S17 a pull finds nothing before anyone has pushed, and fails where that matters`() async throws {
    let mac = try await connected("mac")
    #expect(try await mac.call(Pull.self)["found"] == false)
    #expect(await code { _ = try await mac.call(Pull.self, with: ["required": true]) } == "no-records-found")
    try mac.closeResources()
  }

  @Test func `S9 a record with a missing or mistyped field is refused by the field's name`() async throws {
    let mac = try await connected("mac")
    let good: ValueObject = [
      "deviceID": "x", "stateType": "focus", "stateData": #"{"remainingSeconds":60,"label":"deep"}"#, "timestamp": 1,
      "isPaused": false, "completedPomodoros": 0, "version": 1,
    ]
    for field in good.keys {
      for broken in [nil, .array([])] as [Value?] {
        var record = good
        record[field] = broken
        await #expect {
          _ = try await mac.call(Push.self, with: ["record": .object(record)])
        } throws: { error in
          let error = error as? ActionError
          return error?.code == "sync-record" && error?.message.contains("CD_TimerState.\(field)") == true
        }
      }
    }
    _ = try await mac.call(Push.self, with: ["record": .object(good)])
    let timer = try await mac.call(Pull.self)["timer"]?.objectValue
    #expect(timer?["stateData"] == #"{"label":"deep","remainingSeconds":60}"#)
    try mac.closeResources()
  }

  @Test func `a server that is not there: what is done is kept, and the message says where`() async throws {
    let host = TestHost(dataFolder: folder, workflowFolder: folder)
    _ = try await host.call(Connect.self, with: ["device": "mac", "server": "http://127.0.0.1:1"])
    await #expect {
      _ = try await host.call(Push.self, with: ["state": "idle", "timeout": "300ms"])
    } throws: { error in
      let error = error as? ActionError
      return error?.code == "sync-timeout" && error?.message.contains("sync-mac.sqlite") == true
    }
    try host.closeResources()
    let later = try await connected("mac")
    _ = try await later.call(Flush.self)
    #expect(try await later.call(Pull.self)["timer"]?.objectValue?["stateType"] == "idle")
    try later.closeResources()
  }

  @Test func `bad inputs are named`() async throws {
    let host = TestHost(dataFolder: folder, workflowFolder: folder)
    let both: ValueObject = ["device": "mac", "server": "http://127.0.0.1:1", "store": "s.sqlite"]
    #expect(await code { _ = try await host.call(Connect.self, with: both) } == "sync-input")
    #expect(await code { _ = try await host.call(Connect.self, with: ["server": "https://x"]) } == "sync-backend")
    try Data("no database at all, and long enough to look at".utf8).write(
      to: URL(fileURLWithPath: folder + "/stray.sqlite"))
    #expect(await code { _ = try await host.call(Connect.self, with: ["store": "stray.sqlite"]) } == "sync-store")
    let mac = try await connected("mac")
    #expect(await code { _ = try await mac.call(Push.self) } == "sync-input")
    try mac.closeResources()
  }

  @Test func `S31 a subscription is ready at once, tells of changes with the rule, and ends with the run`() async throws
  {
    let (mac, phone) = (try await connected("mac"), try await connected("phone"))
    _ = try await mac.call(Push.self, with: ["state": "idle"])
    _ = try await phone.call(Pull.self)
    async let watching = mac.call(Subscribe.self)
    _ = await mac.readied()
    let connection: Connection = try #require(mac.handle(.syncConnection))
    _ = try await phone.call(Push.self, with: ["state": "focus", "remaining": "25m"])
    let isSeen = await connection.session.wait(milliseconds: 5000) {
      NoticeText.reading(PomodoroTimer.key, $0).hasPrefix("focus 25:00")
    }
    #expect(isSeen)
    try await connection.pull(timeout: .seconds(5))
    mac.cancel()
    _ = try? await watching
    #expect(mac.posts.contains("sync.changed"))
    #expect(mac.logs.contains { $0.hasPrefix("focus 25:00") && $0.hasSuffix("decided by causal") })
    try mac.closeResources()
    try phone.closeResources()
  }
}
