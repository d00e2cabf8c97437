import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import SyncCore
import SyncDevice
import SyncEngine
import SyncPomodoro
import SyncSQLite
import Testing

@testable import PomodoroPlugin
@testable import SyncPlugin

/// The actions on real files, called as in a run.
@Suite(.timeLimit(.minutes(10))) struct ActionsTests {
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

  @Test func `S14, S16: a device pulls the state that another pushed, as a record with seven fields`() async throws {
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
    try mac.closeHandles()
    try phone.closeHandles()
  }

  @Test func `an app can replace the sync server with a backend in memory`() async throws {
    let backend = MemoryBackend(zones: [Pomodoro.zone])
    let plugin = SyncPlugin { address in
      #expect(address == "https://sync.example.com")
      return backend
    }
    let handles = Dictionary(uniqueKeysWithValues: plugin.handles.map { ($0.key, $0.handle) })
    for (device, found) in [("mac", false), ("phone", true)] {
      let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: handles)
      _ = try await host.call(
        Connect.self, with: ["device": .string(device), "server": "https://sync.example.com"])
      #expect(try await host.call(Pull.self)["found"]?.booleanValue == found)
      _ = try await host.call(Push.self, with: ["state": "focus"])
      try host.closeHandles()
    }
  }

  @Test func `S17: a pull before the first push finds nothing, and fails if a record is required`() async throws {
    let mac = try await connected("mac")
    #expect(try await mac.call(Pull.self)["found"] == false)
    #expect(await code { _ = try await mac.call(Pull.self, with: ["required": true]) } == "no-records-found")
    try mac.closeHandles()
  }

  @Test func `S9: a record with a missing or mistyped field is refused, and the error names the field`() async throws {
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
    try mac.closeHandles()
  }

  @Test func `S6, S19: a pushed record can increase the count of completed pomodoros, but not decrease it`()
    async throws
  {
    let mac = try await connected("mac")
    var record: ValueObject = [
      "deviceID": "x", "stateType": "focus", "stateData": #"{"remainingSeconds":60}"#, "timestamp": 1,
      "isPaused": false, "completedPomodoros": 7, "version": 1,
    ]
    _ = try await mac.call(Push.self, with: ["record": .object(record)])
    #expect(try await mac.call(Pull.self)["timer"]?.objectValue?["completedPomodoros"] == 7)
    record["completedPomodoros"] = 3
    _ = try await mac.call(Push.self, with: ["record": .object(record)])
    #expect(try await mac.call(Pull.self)["timer"]?.objectValue?["completedPomodoros"] == 7)
    try mac.closeHandles()
  }

  @Test func `a device's file can be open in only one run, and each unnamed device gets a separate file`()
    async throws
  {
    let mac = try await connected("mac")
    let second = TestHost(dataFolder: folder, workflowFolder: folder)
    await #expect {
      _ = try await second.call(Connect.self, with: ["device": "mac", "store": "shared.sqlite"])
    } throws: { error in
      let error = error as? ActionError
      return error?.code == "sync-in-use"
        && error?.message.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true
    }
    var files: Set<String> = []
    let hosts = (0..<3).map { _ in TestHost(dataFolder: folder, workflowFolder: folder) }
    for host in hosts {
      let output = try await host.call(Connect.self, with: ["store": "shared.sqlite"])
      files.insert(try #require(output["file"]?.stringValue))
    }
    #expect(files.count == 3)
    for host in [mac] + hosts { try host.closeHandles() }
  }

  @Test func `no two combinations of device and zone share a file, regardless of their names`() throws {
    let names = ["my mac", "my-mac", "my_mac", "my%20mac", "mac", "mac@b", "Zoë"]
    let paths = names.flatMap { name in
      ["PomodoroZone", "a", "mac"].map { DeviceFile.path(device: name, zone: $0, in: folder) }
    }
    #expect(Set(paths).count == paths.count)
    #expect(DeviceFile.path(device: "mac", zone: "PomodoroZone", in: "/d") == "/d/sync-mac.sqlite")
  }

  @Test func `S43: requests to a shared file are not limited`() async throws {
    for _ in 0..<25 {
      let mac = try await connected("mac")
      _ = try await mac.call(Push.self, with: ["state": "focus", "remaining": "25m"])
      #expect(try await mac.call(Pull.self)["found"] == true)
      try mac.closeHandles()
    }
    let mac = try await connected("mac")
    #expect(try await mac.call(Status.self)["status"]?.objectValue?["requestsPerHourLimit"] == .null)
    try mac.closeHandles()
  }

  @Test func `F31, V20: a parked change is listed with its reason and can be discarded`() async throws {
    let mac = try await connected("mac")
    let connection: Connection = try #require(mac.handle(.syncConnection))
    // The zone must have the device's collections before other devices write to them.
    try await connection.flush(timeout: .seconds(60))
    // The arbiter refuses a 65th device.
    let shared = try SQLiteBackend(path: folder + "/shared.sqlite", zones: ["PomodoroZone"])
    let now = try await shared.serverTime()
    for index in 1...64 as ClosedRange<UInt32> {
      let write = Write(
        dot: Dot(device: DeviceID(stem: "x", random: index), number: 1), milliseconds: now,
        fields: [.init(name: "f", value: Scalar.text("1").bytes)], record: RecordWrite())
      let commit = try await shared.commit(
        [RecordOperation(key: Pomodoro.settings, expectedVersion: Int64(index) - 1, change: .write(write))],
        zone: "PomodoroZone")
      #expect(commit.lastSequence != nil, "device \(index): \(commit.results)")
    }
    try shared.close()
    try await connection.set(setting: "theme", to: "dark")
    let isParked = await connection.session.wait(milliseconds: 60_000) {
      !$0.status(atMilliseconds: 0).parked.isEmpty
    }
    let status = await connection.session.status()
    #expect(isParked, "\(status)")
    let listed = try await mac.call(Parked.self)
    #expect(listed["count"] == 1)
    let one = try #require(listed["parked"]?.arrayValue?.first?.objectValue)
    #expect(one["reason"]?.stringValue?.contains("has 64 devices") == true)
    #expect(await code { _ = try await mac.call(Parked.self, with: ["position": 99]) } == "sync-input")
    // A position that turns out to be null must not discard all changes.
    await #expect(throws: (any Error).self) {
      _ = try await mac.call(Parked.self, with: ["do": "discard", "position": .null])
    }
    #expect(try await mac.call(Parked.self)["count"] == 1)
    // The device can still read the changes of others.
    #expect(try await mac.call(Pull.self, with: ["required": false])["found"] == false)
    #expect(try await mac.call(Parked.self, with: ["do": "discard"])["count"] == 0)
    // A new device is refused when it connects.
    let late = TestHost(dataFolder: folder, workflowFolder: folder)
    let place: ValueObject = ["device": "late", "store": "shared.sqlite"]
    #expect(await code { _ = try await late.call(Connect.self, with: place) } == "sync-zone-full")
    try late.closeHandles()
    // It can join after two devices were retired, because the zone contains another device besides the 64.
    for index in 1...2 as ClosedRange<UInt32> {
      _ = try await connection.retire(DeviceID(stem: "x", random: index).name)
    }
    try await connection.flush(timeout: .seconds(60))
    try await connected("late").closeHandles()
    try mac.closeHandles()
  }

  @Test func `a listener receives the notices that were issued before it started`() async throws {
    let mac = try await connected("mac")
    let connection: Connection = try #require(mac.handle(.syncConnection))
    try await connection.flush(timeout: .seconds(60))
    var notices = connection.notices().makeAsyncIterator()
    #expect(await notices.next() != nil)
    try mac.closeHandles()
  }

  @Test func `changes are kept while the server is unreachable, and the error names the device's file`() async throws {
    let host = TestHost(dataFolder: folder, workflowFolder: folder)
    _ = try await host.call(Connect.self, with: ["device": "mac", "server": "http://127.0.0.1:1"])
    await #expect {
      _ = try await host.call(Push.self, with: ["state": "idle", "timeout": "300ms"])
    } throws: { error in
      let error = error as? ActionError
      return error?.code == "sync-timeout" && error?.message.contains("sync-mac.sqlite") == true
    }
    try host.closeHandles()
    let later = TestHost(dataFolder: folder, workflowFolder: folder)
    let place: ValueObject = ["device": "mac", "store": "shared.sqlite", "on-other-store": "merge"]
    _ = try await later.call(Connect.self, with: place)
    _ = try await later.call(Flush.self)
    #expect(try await later.call(Pull.self)["timer"]?.objectValue?["stateType"] == "idle")
    try later.closeHandles()
  }

  @Test func `each invalid input of sync.connect or pomodoro.push causes a specific error`() async throws {
    let host = TestHost(dataFolder: folder, workflowFolder: folder)
    let both: ValueObject = ["device": "mac", "server": "http://127.0.0.1:1", "store": "s.sqlite"]
    #expect(await code { _ = try await host.call(Connect.self, with: both) } == "sync-input")
    #expect(await code { _ = try await host.call(Connect.self, with: ["server": "http://x"]) } == "sync-backend")
    let missing: ValueObject = ["device": "mac", "server": "http://127.0.0.1:1", "token": "@/no/such/file"]
    #expect(await code { _ = try await host.call(Connect.self, with: missing) } == "sync-input")
    #expect(
      await code { _ = try await host.call(Connect.self, with: ["device": .string(String(repeating: "m", count: 41))]) }
        == "sync-input")
    try Data("no database at all, and long enough to look at".utf8).write(
      to: URL(fileURLWithPath: folder + "/stray.sqlite"))
    #expect(await code { _ = try await host.call(Connect.self, with: ["store": "stray.sqlite"]) } == "sync-store")
    let mac = try await connected("mac")
    #expect(await code { _ = try await mac.call(Push.self) } == "sync-input")
    try mac.closeHandles()
  }

  @Test func `S31: a subscription is ready immediately, reports changes with the deciding rule, and ends with the run`()
    async throws
  {
    let (mac, phone) = (try await connected("mac"), try await connected("phone"))
    _ = try await mac.call(Push.self, with: ["state": "idle"])
    _ = try await phone.call(Pull.self)
    async let watching = mac.call(Subscribe.self)
    _ = await mac.readied()
    let connection: Connection = try #require(mac.handle(.syncConnection))
    _ = try await phone.call(Push.self, with: ["state": "focus", "remaining": "25m"])
    let isSeen = await connection.session.wait(milliseconds: 60_000) {
      NoticeText.reading(Pomodoro.timer, $0).hasPrefix("focus 2")
    }
    #expect(isSeen)
    try await connection.pull(timeout: .seconds(60))
    mac.cancel()
    _ = try? await watching
    #expect(mac.posts.contains("sync.changed"))
    #expect(mac.logs.contains { $0.hasPrefix("focus 2") && $0.hasSuffix("decided by causal") })
    try mac.closeHandles()
    try phone.closeHandles()
  }
}
