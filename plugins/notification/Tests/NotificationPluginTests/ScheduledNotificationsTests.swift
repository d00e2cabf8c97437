import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import Synchronization
import Testing

@testable import NotificationPlugin

/// N32, C21: a local notification comes although the application was killed.
@Suite(.timeLimit(.minutes(1))) struct ScheduledNotificationsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Schedules one in a process that is gone right afterwards.
  private func schedule(_ id: String, after: String = "5s", at now: Int = 0) async throws {
    let gone = host(HeadlessNotificationCenter(), dataFolder: folder.path, now: { now })
    _ = try await gone.call(
      ScheduleNotification.self,
      with: ["title": "T", "route": "app://vip/1", "id": .string(id), "after": .string(after)])
  }

  /// Waits until the condition holds, or the time limit cancels the test.
  private func wait(_ condition: () -> Bool) async {
    while !condition() && !Task.isCancelled { await Task.yield() }
  }

  @Test func `the next run delivers what was due meanwhile at once, and the rest when it is due (C21)`() async throws {
    try await schedule("late")
    try await schedule("later", after: "60s")
    let app = FakeApp()
    let next = host(HeadlessNotificationCenter(), app, dataFolder: folder.path, now: { 30_000 })
    let service = Task { try await next.call(ReceiveNotifications.self) }
    _ = await next.readied()
    // Both have been taken up: time that passes before would pass unheard.
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
    #expect(ScheduledNotifications(dataFolder: folder.path).waiting().entries.isEmpty)
    next.cancel()
    _ = await service.result
  }

  @Test func `each is delivered by one process only, and replaced by the next with its identifier (C21)`() async throws
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

  @Test func `what was claimed and not shown stays, and nobody else shows it meanwhile (C21)`() async throws {
    try await schedule("a")
    let scheduled = ScheduledNotifications(dataFolder: folder.path)
    var claim = scheduled.claim("a")
    #expect(claim != nil && scheduled.claim("a") == nil)
    #expect(scheduled.deliverDue(atMilliseconds: 5_000) { _ in } == 0)
    claim = nil
    #expect(scheduled.waiting().entries.map(\.id) == ["a"])
    // One that is scheduled again while it is shown is a new one.
    let shown = try #require(scheduled.claim("a"))
    try await schedule("a", at: 1)
    shown.finish()
    #expect(scheduled.waiting().entries.map(\.dueAtMilliseconds) == [5_001])
    #expect(scheduled.deliverDue(atMilliseconds: 5_001) { _ in } == 1)
    #expect(scheduled.waiting().entries.isEmpty)
  }

  @Test func `names what cannot be read, and refuses an identifier that no file can have`() async throws {
    try await schedule("a")
    let file = folder.path + "/notifications/zz.json"
    try Data("half a not".utf8).write(to: URL(fileURLWithPath: file))
    #expect(ScheduledNotifications(dataFolder: folder.path).waiting().unreadable == ["zz.json"])
    let error = await #expect(throws: ActionError.self) { try await schedule(String(repeating: "x", count: 101)) }
    #expect(error?.code == "schedule-failed")
    #expect(ScheduledNotifications(dataFolder: folder.path).waiting().entries.map(\.id) == ["a"])
  }

  @Test func `L3 the permission is looked up without asking, and remembered`() async throws {
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
