import SyncCloud
import SyncCore
import SyncEngine
import SyncPomodoro
import SyncSimulation
import SyncTestKit
import Synchronization
import Testing

/// The backend for cloud databases, tested with a database in memory (S10 to S17, S30 to S37). CloudKit itself is not
/// run.
struct `A zone in a cloud database` {
  private static let zone = "PomodoroZone"

  private func backend(_ cloud: SimulatedCloud) -> CloudZoneBackend {
    CloudZoneBackend(zones: [Self.zone: cloud], pollMilliseconds: 20)
  }

  /// Creates a database whose zone contains the rules of its collections.
  private func cloud() async throws -> SimulatedCloud {
    let cloud = SimulatedCloud { SystemClock().nowMilliseconds() }
    try await name(backend(cloud))
    return cloud
  }

  private func name(_ backend: CloudZoneBackend) async throws {
    _ = try await backend.commit(Pomodoro.naming(atMilliseconds: SystemClock().nowMilliseconds()), zone: Self.zone)
  }

  private func devices(_ backend: any SyncBackend) async throws(BackendError) -> [SyncRecord] {
    try await whole(backend).records.filter { $0.key.type == DeviceInfo.key(of: device(1)).type }
  }

  private func device(_ number: Int) -> DeviceID { DeviceID(stem: "device", random: UInt32(number)) }

  private func write(_ device: Int, _ number: Int64 = 1, after expected: Int64 = 0) -> RecordOperation {
    RecordOperation(
      key: DeviceInfo.key(of: self.device(device)), expectedVersion: expected,
      change: .write(
        Write(
          dot: Dot(device: self.device(device), number: number), milliseconds: SystemClock().nowMilliseconds(),
          fields: [.init(name: "platform", value: Scalar.text("ios \(number)").bytes)], record: RecordWrite())))
  }

  private func whole(_ backend: any SyncBackend, since cursor: Cursor? = nil) async throws(BackendError) -> ChangePage {
    try await backend.changes(zone: Self.zone, since: cursor, limit: 1000, maximumBytes: 1 << 20)
  }

  @Test(.timeLimit(.minutes(10))) func `the backend for cloud databases passes the conformance suite`() async {
    let failures = await BackendConformance.run { zone in
      CloudZoneBackend(zones: [zone: SimulatedCloud { SystemClock().nowMilliseconds() }], pollMilliseconds: 20)
    }
    #expect(failures == [])
  }

  @Test func `a new device reads a zone in several pages`() async throws {
    let cloud = try await cloud()
    let first = backend(cloud)
    for number in 1...30 { _ = try await first.commit([write(number)], zone: Self.zone) }
    cloud.withZone { $0.pageLimit = 7 }
    let page = try await whole(backend(cloud))
    #expect(try await devices(backend(cloud)).count == 30)
    #expect(page.cursor == (try await whole(first).cursor))
  }

  @Test func `a zone contains the changes of both devices if they commit at the same time`() async throws {
    let cloud = try await cloud()
    let (first, second) = (backend(cloud), backend(cloud))
    _ = try await first.commit([write(1)], zone: Self.zone)
    _ = try await whole(second)
    // The second device has not read this change yet.
    _ = try await first.commit([write(2)], zone: Self.zone)
    let reply = try await second.commit([write(3)], zone: Self.zone)
    #expect(reply.lastSequence == reply.cursor.sequence)
    #expect(try await devices(first).count == 3)
  }

  @Test func `a change that is sent again after its response was lost is stored only once`() async throws {
    let cloud = try await cloud()
    let backend = backend(cloud)
    _ = try await backend.commit([write(1)], zone: Self.zone)
    cloud.withZone { $0.faults = [.lostAnswer] }
    await #expect(throws: BackendError.unreachable("the answer was lost")) {
      _ = try await backend.commit([write(2)], zone: Self.zone)
    }
    // The change has been saved, and only its response was lost.
    #expect(try await backend.commit([write(2)], zone: Self.zone).results != [])
    #expect(try await devices(backend).map(\.version) == [1, 1])
  }

  @Test func `a zone is read from the beginning if the token has expired`() async throws {
    let cloud = try await cloud()
    let (first, second) = (backend(cloud), backend(cloud))
    _ = try await first.commit([write(1)], zone: Self.zone)
    _ = try await whole(second)
    cloud.withZone { $0.expireTokens() }
    _ = try await first.commit([write(2)], zone: Self.zone)
    #expect(try await devices(second).count == 2)
  }

  @Test func `a throttled commit reports the time to wait`() async throws {
    let cloud = try await cloud()
    let backend = backend(cloud)
    _ = try await backend.commit([write(1)], zone: Self.zone)
    cloud.withZone { $0.faults = [.error(.throttled(retryAfterMilliseconds: 7000))] }
    await #expect(throws: BackendError.rateLimited(retryAfterMilliseconds: 7000)) {
      _ = try await backend.commit([write(2)], zone: Self.zone)
    }
    #expect(try await devices(backend).count == 1)
  }

  @Test(
    arguments: [
      (.notAuthenticated, "not-authenticated"), (.quotaExceeded, "quota-exceeded"), (.limitExceeded, "limit-exceeded"),
      (.unreachable("offline"), "unreachable"),
      (.partial(["r": .failed("busy"), "head": .batchFailed]), "unavailable"),
      (.partial(["r": .tooLarge, "head": .batchFailed]), "too-large"), (.failed("?"), "unavailable"),
    ] as [(CloudZoneError, String)])
  func `a failed commit saves nothing and reports the error's code`(_ error: CloudZoneError, _ code: String)
    async throws
  {
    let cloud = try await cloud()
    let backend = backend(cloud)
    _ = try await backend.commit([write(1)], zone: Self.zone)
    cloud.withZone { $0.faults = [.error(error)] }
    do {
      _ = try await backend.commit([write(2)], zone: Self.zone)
      Issue.record("nothing was thrown")
    } catch {
      #expect(error.code == code)
    }
    #expect(try await devices(backend).count == 1)
  }

  @Test func `a deleted zone is created again by the next commit, and earlier cursors are invalid`() async throws {
    let cloud = try await cloud()
    let backend = backend(cloud)
    _ = try await backend.commit([write(1)], zone: Self.zone)
    let cursor = try await whole(backend).cursor
    cloud.withZone { $0.delete() }
    await #expect(throws: BackendError.cursorExpired) { _ = try await whole(backend, since: cursor) }
    try await name(backend)
    _ = try await backend.commit([write(1)], zone: Self.zone)
    await #expect(throws: BackendError.cursorExpired) { _ = try await whole(backend, since: cursor) }
    #expect(try await devices(backend).count == 1)
  }

  @Test func `a commit is refused if the zone was deleted after it was read`() async throws {
    let cloud = try await cloud()
    let backend = backend(cloud)
    _ = try await backend.commit([write(1)], zone: Self.zone)
    let heard = try await whole(backend).cursor
    cloud.withZone { $0.delete() }
    await #expect(throws: BackendError.cursorExpired) {
      _ = try await backend.commit([write(2)], zone: Self.zone, heard: heard)
    }
  }

  @Test func `after another user has signed in, a commit with data of the first user is refused`()
    async throws
  {
    let cloud = try await cloud()
    let backend = backend(cloud)
    let store = try await backend.identity()
    _ = try await backend.commit([write(1)], zone: Self.zone, heard: nil, store: store)
    cloud.withZone { $0.signIn("bob") }
    let other = CloudMirror.store(ofAccount: "bob")
    await #expect(throws: BackendError.otherStore(other)) {
      _ = try await backend.commit([write(2)], zone: Self.zone, heard: nil, store: store)
    }
    #expect(try await backend.identity() == other)
    #expect(cloud.withZone { $0.count } == 0)
  }

  @Test func `all devices of a user report the same store identity`() async throws {
    let cloud = try await cloud()
    #expect(try await backend(cloud).identity() == (try await backend(cloud).identity()))
  }

  @Test func `a zone is read immediately after a push notification`() async throws {
    let cloud = try await cloud()
    let (first, second) = (
      backend(cloud), CloudZoneBackend(zones: [Self.zone: cloud], pollMilliseconds: 3_600_000)
    )
    _ = try await first.commit([write(1)], zone: Self.zone)
    var signs = second.watch(zone: Self.zone, device: device(9)).makeAsyncIterator()
    let seen = try await signs.next()?.cursor
    #expect(seen == (try await whole(first).cursor))
    _ = try await first.commit([write(2)], zone: Self.zone)
    second.notice()
    #expect(try await signs.next()?.cursor == (try await whole(first).cursor))
  }

  @Test(arguments: [(1, "storage"), (2, "unsupported-format")] as [(UInt8, String)])
  func `reading a damaged record, or one of a newer version, from the cloud database throws a specific error`(
    format: UInt8, code: String
  ) async throws {
    let cloud = try await cloud()
    let (known, new) = (backend(cloud), backend(cloud))
    _ = try await known.commit([write(1)], zone: Self.zone)
    _ = try await cloud.modify(
      CloudModification(saved: [CloudRecord(name: "r-other", bytes: [format, 2, 3, 4, 5, 6], tag: nil)]))
    for backend in [known, new] {
      let error = await #expect(throws: BackendError.self) { _ = try await whole(backend) }
      #expect(error?.code == code)
    }
  }
}

struct `The simulated cloud database` {
  private func record(_ name: String, _ size: Int = 1, _ tag: CloudTag? = nil) -> CloudRecord {
    CloudRecord(name: name, bytes: Array(repeating: 7, count: size), tag: tag)
  }

  @Test func `the simulated database saves all records or none, and reports those that have changed`() throws {
    var zone = SimulatedCloudZone()
    let tags = try zone.modify(CloudModification(saved: [record("a"), record("b")]), serverMilliseconds: 0).tags
    #expect(throws: CloudZoneError.partial(["a": .changed, "c": .batchFailed])) {
      _ = try zone.modify(
        CloudModification(saved: [self.record("a", 2), self.record("c")]), serverMilliseconds: 0)
    }
    #expect(zone.count == 2)
    _ = try zone.modify(CloudModification(saved: [record("a", 2, tags["a"])], removed: ["b"]), serverMilliseconds: 0)
    #expect(zone.count == 1)
  }

  @Test func `the simulated database accepts at most 400 records per request and 1,000,000 bytes per record`() throws {
    var zone = SimulatedCloudZone()
    let records = (0..<400).map { record("\($0)") }
    _ = try zone.modify(CloudModification(saved: records), serverMilliseconds: 0)
    #expect(throws: CloudZoneError.limitExceeded) {
      _ = try zone.modify(
        CloudModification(saved: [self.record("x")], removed: records.map(\.name)), serverMilliseconds: 0)
    }
    #expect(throws: CloudZoneError.partial(["big": .tooLarge])) {
      _ = try zone.modify(CloudModification(saved: [self.record("big", 1_000_001)]), serverMilliseconds: 0)
    }
    _ = try zone.modify(CloudModification(saved: [record("big", 1_000_000)]), serverMilliseconds: 0)
  }

  @Test func `the simulated database returns each changed record once, with its latest content`() throws {
    var zone = SimulatedCloudZone()
    let tags = try zone.modify(CloudModification(saved: [record("a"), record("b")]), serverMilliseconds: 0).tags
    let first = try zone.changes(since: nil, serverMilliseconds: 0)
    #expect(first.changed.map(\.name) == ["a", "b"] && !first.hasMore)
    _ = try zone.modify(CloudModification(saved: [record("a", 2, tags["a"])], removed: ["b"]), serverMilliseconds: 0)
    let second = try zone.changes(since: first.token, serverMilliseconds: 0)
    #expect(second.changed.map(\.bytes.count) == [2] && second.removed == ["b"])
    #expect(try zone.changes(since: second.token, serverMilliseconds: 0).changed.isEmpty)
  }

  @Test func `the simulated database refuses tokens of a deleted zone`() throws {
    var zone = SimulatedCloudZone()
    #expect(throws: CloudZoneError.zoneNotFound) { _ = try zone.changes(since: nil, serverMilliseconds: 0) }
    _ = try zone.modify(CloudModification(saved: [record("a")]), serverMilliseconds: 0)
    let token = try zone.changes(since: nil, serverMilliseconds: 0).token
    zone.delete()
    _ = try zone.modify(CloudModification(saved: [record("a")]), serverMilliseconds: 0)
    #expect(throws: CloudZoneError.tokenExpired) { _ = try zone.changes(since: token, serverMilliseconds: 0) }
  }
}
