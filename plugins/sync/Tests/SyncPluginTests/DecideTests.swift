import FlowBytes
import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import SyncCore
import SyncDevice
import SyncPomodoro
import SyncRecords
import SyncYAML
import Testing

@testable import SyncPlugin

/// A collection whose records are decided as a whole, with the timer's rules.
@Suite(.timeLimit(.minutes(10))) struct DecideTests {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("workflows/pomodoro.sync.yaml")

  private func timers() throws -> RecordSchema.Collection {
    let file = YAMLSchemas().read(Array(try Data(contentsOf: Self.file)), file: "pomodoro.sync.yaml")
    return try #require(file.schema?.collection("timers"), "\(file.rendered())")
  }

  private func connected(_ device: String, _ folder: String) async throws -> TestHost {
    let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: .readingSchemas)
    _ = try await host.call(
      Connect.self,
      with: ["device": .string(device), "store": "shared.sqlite", "schema": .string(Self.file.path)])
    return host
  }

  private func put(_ host: TestHost, _ fields: ValueObject, wait: Bool = true) async throws {
    _ = try await host.call(
      Put.self, with: ["collection": "timers", "key": "timer", "fields": .object(fields), "wait": .boolean(wait)])
  }

  private func get(_ host: TestHost) async throws -> ValueObject? {
    try await host.call(Get.self, with: ["collection": "timers", "key": "timer", "fetch": true])["record"]?.objectValue
  }

  private func folder() throws -> String {
    let folder = NSTemporaryDirectory() + "sync-decide-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test func `the compiled schema of the timer equals the schema file next to the workflow`() throws {
    let file = YAMLSchemas().read(Array(try Data(contentsOf: Self.file)), file: "pomodoro.sync.yaml")
    #expect(file.schema == Pomodoro.schema)
  }

  @Test func `a rule for deciding records is parsed from its text unchanged, and invalid text is refused`() throws {
    let rule = try #require(try timers().decide)
    #expect(DecideRule(text: rule.text) == rule)
    #expect(
      rule.text == "causal, window 5000, prefer state focus breakTime snooze idle, "
        + "smallest remaining ages, unless is-paused, when state focus breakTime, newest, device")
    let odd = DecideRule(prefer: .init(field: "a", order: ["x, y", "100%", "ü z"]))
    #expect(DecideRule(text: odd.text) == odd)
    for text in ["causal, window -1, newest, device", "causal, guess, newest, device", "", "causal, newest"] {
      #expect(DecideRule(text: text) == nil, "\(text)")
    }
  }

  @Test func `both devices agree on one of two concurrent states, and a later state replaces it`()
    async throws
  {
    let folder = try folder()
    let (mac, phone) = (try await connected("mac", folder), try await connected("phone", folder))
    try await put(mac, ["state": "idle", "completed": 1])
    _ = try await get(phone)
    let hosts = [mac, phone]
    let connections: [Connection] = hosts.compactMap { $0.handle(.syncConnection) }
    for connection in connections { await connection.session.setOnline(false) }
    try await put(mac, ["state": "focus", "remaining": "25m", "completed": 4], wait: false)
    try await put(phone, ["state": "breakTime", "remaining": "5m", "completed": 3], wait: false)
    for connection in connections { await connection.session.setOnline(true) }
    for host in hosts { _ = try await host.call(Flush.self) }
    for host in hosts {
      let timer = try #require(try await get(host))
      #expect(timer["state"] == "focus" && timer["remaining"] == "25m" && timer["completed"] == 4, "\(timer)")
    }
    // Fields that are not named do not change. The count starts again only on request.
    try await put(phone, ["state": "breakTime", "completed": ["begin": 0]])
    for host in hosts {
      let timer = try #require(try await get(host))
      #expect(timer["state"] == "breakTime" && timer["remaining"] == "25m" && timer["completed"] == 0, "\(timer)")
    }
    try await put(mac, ["completed": 2])
    try await put(mac, ["completed": 1])
    #expect(try await get(phone)?["completed"] == 2)
    for host in hosts { try host.closeHandles() }
    try? FileManager.default.removeItem(atPath: folder)
  }

  @Test(arguments: [
    ("- newest", "- newst", "a step of 'decide' is"),
    ("prefer: state", "prefer: stat", "did you mean 'state'?"),
    ("order: [focus, breakTime", "order: [focus, breaktime", "'breakTime'"),
    ("unless: is-paused", "unless: state", "not a field of type boolean"),
    ("window: 5s", "window: 5", "a length of time such as 5s"),
    ("      - causal\n", "", "in this order"),
    ("merge: largest, epoch", "merge: counter, epoch", "'epoch' needs 'merge: largest'"),
  ])
  func `an invalid rule for deciding records is reported`(_ old: String, _ new: String, _ words: String) throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    let wrong = text.replacing(old, with: new)
    #expect(wrong != text)
    let file = YAMLSchemas().read(Array(wrong.utf8), file: "pomodoro.sync.yaml")
    #expect(file.schema == nil)
    #expect(file.rendered().contains(words), "\(file.rendered())")
  }
}
