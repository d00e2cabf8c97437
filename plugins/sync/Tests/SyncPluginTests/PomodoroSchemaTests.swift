import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import SyncCore
import SyncDevice
import SyncPomodoro
import Testing

@testable import PomodoroPlugin
@testable import SyncPlugin

/// The timer as records of its schema.
@Suite(.timeLimit(.minutes(10))) struct PomodoroSchemaTests {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "sync-pomodoro-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Returns the text of the timer's schema file.
  private static func pomodoro() throws -> String {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<5 { root.deleteLastPathComponent() }
    return try String(contentsOf: root.appendingPathComponent("workflows/pomodoro.sync.yaml"), encoding: .utf8)
  }

  private func connected(_ device: String, schema: String? = nil) async throws -> TestHost {
    let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: .readingSchemas)
    var input: ValueObject = ["device": .string(device), "store": "shared.sqlite"]
    if let schema { input["schema"] = .string(schema) }
    _ = try await host.call(Connect.self, with: input)
    return host
  }

  private func record(_ host: TestHost, _ collection: String, _ key: String) async throws -> ValueObject? {
    try await host.call(Get.self, with: ["collection": .string(collection), "key": .string(key)])["record"]?.objectValue
  }

  private func put(_ host: TestHost, _ collection: String, _ key: String, _ fields: ValueObject) async throws {
    _ = try await host.call(
      Put.self, with: ["collection": .string(collection), "key": .string(key), "fields": .object(fields)])
  }

  private func message(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? ActionError)?.message ?? "\(error)"
    }
  }

  private func end(_ hosts: TestHost...) throws {
    for host in hosts { try host.closeHandles() }
    try? FileManager.default.removeItem(atPath: folder)
  }

  @Test func `S6, S14: pomodoro.push and sync.put change the same timer record`()
    async throws
  {
    let (mac, phone) = (try await connected("mac"), try await connected("phone"))
    _ = try await mac.call(Push.self, with: ["state": "focus", "remaining": "25m", "completed": 2])
    let timer = try #require(try await record(phone, "timers", "timer"))
    #expect(timer["state"] == "focus" && timer["remaining"] == "25m" && timer["completed"] == 2, "\(timer)")
    try await put(phone, "timers", "timer", ["is-paused": true, "completed": 5])
    let stored = try #require(try await mac.call(Pull.self)["timer"]?.objectValue)
    #expect(stored["stateType"] == "focus" && stored["isPaused"] == true && stored["completedPomodoros"] == 5)
    let rows = try await mac.call(Query.self, with: ["sql": "SELECT state, completed FROM timers"])["rows"]
    #expect(rows == [["state": "focus", "completed": 5]])
    let names = try await mac.call(Query.self, with: ["sql": "SELECT \"device-name\" AS n FROM devices ORDER BY n"])
    #expect(names["rows"] == [["n": "mac"], ["n": "phone"]])
    try end(mac, phone)
  }

  @Test func `S8: a key, value or collection that the schema does not allow is refused, and the error names it`()
    async throws
  {
    let mac = try await connected("mac")
    #expect(
      await message { try await put(mac, "timers", "second", ["state": "focus"]) }?.contains("did you mean 'timer'?")
        == true)
    #expect(
      await message { try await put(mac, "devices", "other", ["platform": "linux"]) }?
        .contains("may only describe itself") == true)
    #expect(
      await message { try await put(mac, "devices", "other", ["platform": "BeOS"]) }?.contains("cannot be 'BeOS'")
        == true)
    #expect(await message { try await put(mac, "notes", "a", ["title": "a"]) }?.contains("notes.sync.yaml") == true)
    try end(mac)
  }

  @Test func `a schema of an app can list keys, restrict a record to its device, and allow unlisted fields`()
    async throws
  {
    let schema = """
      schema: app
      collections:
        profile:
          keys: [me]
          other-fields: newest
          fields: { name: { type: string } }
        places:
          writer: self
          fields: { room: { type: string } }
      """
    try schema.write(toFile: folder + "/app.sync.yaml", atomically: true, encoding: .utf8)
    let (mac, phone) = (
      try await connected("mac", schema: "app.sync.yaml"), try await connected("phone", schema: "app.sync.yaml")
    )
    try await put(mac, "profile", "me", ["name": "Ada", "color": "red"])
    try await put(phone, "profile", "me", ["color": "blue"])
    #expect(try await record(mac, "profile", "me") == ["name": "Ada", "color": "blue"])
    #expect(
      await message { try await put(mac, "profile", "you", ["name": "Bo"]) }?.contains("did you mean 'me'?") == true)
    let connection: Connection = try #require(mac.handle(.syncConnection))
    let own = await connection.session.status().device.name
    try await put(mac, "places", own, ["room": "study"])
    #expect(try await record(phone, "places", own) == ["room": "study"])
    #expect(
      await message { try await put(phone, "places", own, ["room": "hall"]) }?.contains("one writer a record") == true)
    try end(mac, phone)
  }

  @Test func `S18, S25: a schema file can change the priority of states, and all devices of its zone must use it`()
    async throws
  {
    let idleFirst = try Self.pomodoro().replacing(
      "order: [focus, breakTime, snooze, idle]", with: "order: [idle, snooze, breakTime, focus]")
    try idleFirst.write(toFile: folder + "/idle.sync.yaml", atomically: true, encoding: .utf8)
    let (mac, phone) = (
      try await connected("mac", schema: "idle.sync.yaml"), try await connected("phone", schema: "idle.sync.yaml")
    )
    let connections: [Connection] = [mac, phone].compactMap { $0.handle(.syncConnection) }
    for connection in connections { await connection.session.setOnline(false) }
    _ = try await mac.call(Push.self, with: ["state": "idle", "wait": false])
    _ = try await phone.call(Push.self, with: ["state": "focus", "remaining": "25m", "wait": false])
    for connection in connections { await connection.session.setOnline(true) }
    for host in [mac, phone] { _ = try await host.call(Flush.self) }
    for host in [mac, phone] {
      #expect(try await host.call(Pull.self)["timer"]?.objectValue?["stateType"] == "idle")
      #expect(try await record(host, "timers", "timer")?["state"] == "idle")
    }
    let refused = await message { _ = try await connected("tablet") }
    #expect(refused?.contains("the zone keeps 'decide' of 'timers'") == true, "\(refused ?? "")")
    try end(mac, phone)
  }

  @Test func `a zone keeps the rules of its timer and refuses a schema with other rules`() async throws {
    let mac = try await connected("mac")
    _ = try await mac.call(Push.self, with: ["state": "idle"])
    let longer = try Self.pomodoro().replacing("window: 5s", with: "window: 9s")
    try longer.write(toFile: folder + "/longer.sync.yaml", atomically: true, encoding: .utf8)
    let refused = await message { _ = try await connected("phone", schema: "longer.sync.yaml") }
    #expect(refused?.contains("a changed meaning needs a new name") == true, "\(refused ?? "")")
    try end(mac)
  }
}
