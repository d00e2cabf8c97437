import SyncCore
import SyncEngine
import SyncPomodoro
import Testing

/// A device that joins a zone larger than its budget of 100 requests per hour and 1,000,000 bytes per day.
struct FirstFetchTests {
  /// The number of records in the zone. A page contains two records.
  private static let records = 300
  private var rig: Rig

  init() {
    var settings = Rig.plain
    settings.projection = RecordFleet.Projection()
    settings.pageRecords = 2
    rig = Rig(settings: settings)
    let phone = DeviceID(stem: "phone", random: 9)
    let rules = Write(
      dot: Dot(device: phone, number: 1), milliseconds: Rig.start,
      fields: ["title": "string newest", "_delete": "edit-wins"].map {
        .init(name: $0.key, value: Array($0.value.utf8))
      })
    commit(RecordOperation(key: ZoneRules.key(of: "notes"), expectedVersion: 0, change: .write(rules)))
    let title = Scalar.text(String(repeating: "x", count: 4500)).bytes
    for number in 1...Self.records {
      let write = Write(
        dot: Dot(device: phone, number: Int64(number + 1)), milliseconds: Rig.start,
        fields: [.init(name: "title", value: title)], record: RecordWrite())
      commit(
        RecordOperation(key: RecordKey(type: "notes", name: "n\(number)"), expectedVersion: 0, change: .write(write)))
    }
  }

  private mutating func commit(_ operation: RecordOperation) {
    let reply = try? rig.zone.commit([operation], serverMilliseconds: Rig.start)
    if case .committed? = reply?.results.first { return }
    Issue.record("\(operation.key) came to \(String(describing: reply))")
  }

  private var bytes: Int { rig.zone.records.values.reduce(0) { $0 + $1.cell.packed().count } }

  @Test mutating func `the first fetch of a zone does not count toward the budget, but later requests do`() throws {
    rig.start()
    rig.advance(milliseconds: 1000)
    #expect(rig.pulls > 100 && bytes > 1_000_000)
    #expect(rig.machine.replica.confirmed.count == rig.zone.records.count)
    let status = rig.machine.status(atMilliseconds: rig.now)
    #expect(status.level == .normal)
    #expect(status.requestsInHour == rig.requests.count - status.firstFetch.requests && status.requestsInHour < 5)
    #expect(status.firstFetch.bytes >= bytes && status.bytesInDay < 1000)
    let saved = try #require(try Replica(stored: rig.disk))
    #expect(saved.budget.firstFetch == status.firstFetch)
    // Actions of the user are sent immediately.
    rig.act()
    rig.advance(milliseconds: 1000)
    #expect(rig.commits.contains { $0.contains { $0.key == Pomodoro.timer } })
    // From now on, the budget limits the requests per hour. The device uses most of them.
    let before = rig.requests.count
    for _ in 0..<350 {
      rig.act()
      rig.advance(milliseconds: 10_000)
    }
    #expect((60...100).contains(rig.requests.count - before))
  }

  @Test mutating func `requests that fail during the first fetch of a zone count toward the budget`() {
    rig.holds = true
    rig.start()
    for _ in 0..<5 { rig.answerHeld() }
    rig.holds = false
    rig.error = .unreachable("down")
    rig.answerHeld()
    let (before, apart) = (rig.requests.count, rig.machine.replica.budget.firstFetch.requests)
    for _ in 0..<300 {
      // When the app comes to the foreground, it starts a fetch.
      rig.give(.foregrounded)
      rig.give(.switched(online: false))
      rig.give(.switched(online: true))
      rig.advance(milliseconds: 10_000)
    }
    #expect(rig.requests.count - before <= 100)
    #expect(rig.machine.replica.budget.firstFetch.requests <= apart + 1)
    rig.error = nil
    rig.advance(milliseconds: 3_600_000)
    #expect(rig.machine.replica.confirmed.count == rig.zone.records.count)
  }
}
