import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import Synchronization
import Testing

@testable import NotificationPlugin

/// Tests scheduled local notifications, which are delivered even if the application has been killed (N32, C21).
@Suite(.timeLimit(.minutes(10))) struct ScheduledNotificationsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Schedules a notification with a center that is then discarded, as at the end of a process.
  private func schedule(_ id: String, after: String = "5s", at now: Int = 0) async throws {
    let gone = host(HeadlessNotificationCenter(), dataFolder: folder.path, now: { now })
    _ = try await gone.call(
      ScheduleNotification.self,
      with: ["title": "T", "route": "app://vip/1", "id": .string(id), "after": .string(after)])
  }

  /// Waits until the condition is true or the test's time limit has passed.
  private func wait(_ condition: () -> Bool) async {
    while !condition() && !Task.isCancelled { await Task.yield() }
  }

  @Test func `delivers pending notifications in the next run, overdue ones immediately (C21)`() async throws {
    try await schedule("late")
    try await schedule("later", after: "60s")
    let app = FakeApp()
    let next = host(HeadlessNotificationCenter(), app, dataFolder: folder.path, now: { 30_000 })
    let service = Task { try await next.call(ReceiveNotifications.self) }
    _ = await next.readied()
    // The clock must be advanced only after both notifications have been read.
    await wait { next.sleeperCount == 2 }
    next.advance(by: .zero)
    await wait { next.posts.count == 1 }
    #expect(next.logs.contains("notification received late"))
    next.advance(by: .milliseconds(29_999))
    #expect(next.posts.count == 1)
    next.advance(by: .milliseconds(1))
    await wait { next.posts.count == 2 }
    #expect(next.logs.contains("notification received later"))
    #expect(app.banners == ["T", "T"] && app.opened.isEmpty)
    // The file is removed only after the event has been posted.
    await wait { ScheduledNotifications(dataFolder: folder.path).waiting().entries.isEmpty }
    next.cancel()
    _ = await service.result
  }

  @Test(arguments: ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"])
  func `schedules a notification for the earliest and the latest instant`(at: String) async throws {
    let gone = host(HeadlessNotificationCenter(), dataFolder: folder.path, now: { 0 })
    _ = try await gone.call(ScheduleNotification.self, with: ["title": "T", "id": "a", "at": .string(at)])
    let due = try #require(ScheduledNotifications(dataFolder: folder.path).waiting().entries.first?.dueAtMilliseconds)
    #expect(due == (at.hasPrefix("9") ? 253_402_300_799_000 : 0))
  }

  @Test(arguments: [Int.min, Int.max])
  func `reports a file with an impossible instant as unreadable`(due: Int) async throws {
    try await schedule("a")
    let path = folder.path + "/notifications/61.json"
    try #"{"id": "a", "payload": {}, "due-at": \#(due)}"#.write(toFile: path, atomically: true, encoding: .utf8)
    let waiting = ScheduledNotifications(dataFolder: folder.path).waiting()
    #expect(waiting.entries.isEmpty && waiting.unreadable == ["61.json"])
  }

  @Test func `delivers a notification once if two deliveries compete, and replaces one with the same identifier (C21)`()
    async throws
  {
    for id in ["a", "b", "日本/..", "a"] { try await schedule(id) }
    let scheduled = ScheduledNotifications(dataFolder: folder.path)
    #expect(scheduled.waiting().entries.map(\.id) == ["a", "b", "日本/.."])
    @Sendable func deliver(_ now: Int) -> [String] {
      var shown: [String] = []
      _ = scheduled.deliverDue(atMilliseconds: now) { shown.append($0.id) }
      return shown
    }
    #expect(deliver(4_999).isEmpty)
    async let one = deliver(5_000)
    async let other = deliver(5_000)
    #expect(await (one + other).sorted() == ["a", "b", "日本/.."])
    #expect(scheduled.waiting().entries.isEmpty)
  }

  @Test func `does not deliver a claimed notification again, and keeps it if it was not shown (C21)`() async throws {
    try await schedule("a")
    let scheduled = ScheduledNotifications(dataFolder: folder.path)
    var claim = scheduled.claim("a")
    #expect(claim != nil && scheduled.claim("a") == nil)
    #expect(scheduled.deliverDue(atMilliseconds: 5_000) { _ in } == 0)
    claim = nil
    #expect(scheduled.waiting().entries.map(\.id) == ["a"])
    // A notification that is scheduled again while it is being shown stays scheduled after the first one is finished.
    let shown = try #require(scheduled.claim("a"))
    try await schedule("a", at: 1)
    shown.finish()
    #expect(scheduled.waiting().entries.map(\.dueAtMilliseconds) == [5_001])
    #expect(scheduled.deliverDue(atMilliseconds: 5_001) { _ in } == 1)
    #expect(scheduled.waiting().entries.isEmpty)
  }

  @Test(arguments: [.null, ""] as [Value])
  func `cancels nothing if the identifier is null or empty`(id: Value) async throws {
    try await schedule("a")
    let run = host(HeadlessNotificationCenter(), FakeApp(), dataFolder: folder.path, now: { 0 })
    let message = try await #require(throws: (any Error).self) {
      try await run.call(CancelNotifications.self, with: ["id": id])
    }
    #expect("\(message)".contains("id"))
    #expect(ScheduledNotifications(dataFolder: folder.path).waiting().entries.map(\.id) == ["a"])
    #expect(try await run.call(CancelNotifications.self)["cancelled"] == ["a"])
  }

  @Test func `does not deliver a cancelled notification, in this run or the next`() async throws {
    let app = FakeApp()
    let center = HeadlessNotificationCenter()
    let run = host(center, app, dataFolder: folder.path, now: { 0 })
    let service = Task { try await run.call(ReceiveNotifications.self) }
    _ = await run.readied()
    for id in ["timer", "other"] {
      _ = try await run.call(
        ScheduleNotification.self, with: ["title": .string(id), "id": .string(id), "after": "25m"])
    }
    #expect(try await run.call(CancelNotifications.self, with: ["id": "timer"])["cancelled"] == ["timer"])
    #expect(try await run.call(CancelNotifications.self, with: ["id": "timer"])["cancelled"] == [])
    #expect(ScheduledNotifications(dataFolder: folder.path).waiting().entries.map(\.id) == ["other"])
    run.advance(by: .seconds(1_500))
    // Checks the banner instead of the event, because the host records the events of only the last action.
    await wait { app.banners.count == 1 }
    #expect(app.banners == ["other"])
    try await schedule("late")
    #expect(try await run.call(CancelNotifications.self)["cancelled"]?.arrayValue?.contains("late") == true)
    #expect(ScheduledNotifications(dataFolder: folder.path).waiting().entries.isEmpty)
    run.cancel()
    _ = await service.result
  }

  @Test func `delivers a repeating notification at each interval, but only once for missed intervals`() async throws {
    let gone = host(HeadlessNotificationCenter(), dataFolder: folder.path, now: { 0 })
    _ = try await gone.call(
      ScheduleNotification.self, with: ["title": "T", "id": "drink", "after": "60s", "repeats": true])
    let scheduled = ScheduledNotifications(dataFolder: folder.path)
    #expect(scheduled.deliverDue(atMilliseconds: 59_999) { _ in } == 0)
    #expect(scheduled.deliverDue(atMilliseconds: 60_000) { _ in } == 1)
    #expect(scheduled.waiting().entries.map(\.dueAtMilliseconds) == [120_000])
    #expect(scheduled.deliverDue(atMilliseconds: 310_000) { _ in } == 1)
    #expect(scheduled.waiting().entries.map(\.dueAtMilliseconds) == [360_000])
    let error = await #expect(throws: ActionError.self) {
      _ = try await gone.call(ScheduleNotification.self, with: ["title": "T", "after": "59s", "repeats": true])
    }
    #expect(error?.code == "schedule-failed")
  }

  @Test(arguments: [
    ("1970-01-01T00:01:30Z", 90_000), ("1970-01-01T02:00:00+02:00", 1_000), ("1972-02-29T00:00:00Z", 68_169_600_000),
    ("soon", nil), ("1971-02-29T00:00:00Z", nil), ("1970-04-31T00:00:00Z", nil), ("1970-01-01T24:00:00Z", nil),
    ("1970-01-01T00:60:00Z", nil),
  ])
  func `schedules a notification for a given instant, and refuses an invalid one`(at: String, due: Int?) async throws {
    let host = host(HeadlessNotificationCenter(), dataFolder: folder.path, now: { 1_000 })
    guard let due else {
      let error = await #expect(throws: ActionError.self) {
        _ = try await host.call(ScheduleNotification.self, with: ["title": "T", "at": .string(at)])
      }
      return #expect(error?.code == "schedule-failed")
    }
    _ = try await host.call(ScheduleNotification.self, with: ["title": "T", "at": .string(at)])
    #expect(ScheduledNotifications(dataFolder: folder.path).waiting().entries.map(\.dueAtMilliseconds) == [due])
  }

  @Test func `reports unreadable files, and refuses an identifier that is empty, too long or has control characters`()
    async throws
  {
    try await schedule("a")
    let file = folder.path + "/notifications/zz.json"
    try Data("half a not".utf8).write(to: URL(fileURLWithPath: file))
    #expect(ScheduledNotifications(dataFolder: folder.path).waiting().unreadable == ["zz.json"])
    for id in [String(repeating: "x", count: 101), "", "a\nb", "a\u{1B}[31m"] {
      let error = await #expect(throws: ActionError.self) { try await schedule(id) }
      #expect(error?.code == "schedule-failed" && error?.isRetryable == false)
    }
    #expect(ScheduledNotifications(dataFolder: folder.path).waiting().entries.map(\.id) == ["a"])
  }

  @Test func `L3: returns the permission that an earlier launch stored, without asking again`() async throws {
    let values = MemoryKeyValueStore()
    func answer(_ host: TestHost) async throws -> Value? { try await host.call(ReadStatus.self)["status"] }
    func host() -> TestHost {
      var handles: [HandleKey: any Sendable] = [.keyValueStore: values as any KeyValueStore]
      for handle in NotificationPlugin().handles { handles[handle.key] = handle.handle }
      return TestHost(handles: handles)
    }
    #expect(try await answer(host()) == "not-determined")
    _ = try await host().call(RequestPermission.self, with: ["answer": "denied"])
    #expect(try await answer(host()) == "denied")
  }
}
