import FlowBytes
import SyncCore
import SyncEngine
import SyncPomodoro
import Testing

/// A device that fetches many records in several pages.
struct CatchUpTests {
  /// With the rules of their collection, the records fill seven pages of three records.
  private static let records = 20
  private var zone = ZoneState(generation: 1, store: StoreIdentity(number: 1))
  private var disk: [String: [UInt8]] = [:]
  /// The changes in each save.
  private var saves: [[StoreChange]] = []
  private var requests: [(number: Int, request: SyncMachine.Request)] = []

  init() {
    let rules = Write(
      dot: Dot(device: Self.phone, number: 1), milliseconds: Rig.start,
      fields: ["title": "string newest", "_delete": "edit-wins"].map {
        .init(name: $0.key, value: Array($0.value.utf8))
      })
    commit(RecordOperation(key: ZoneRules.key(of: "notes"), expectedVersion: 0, change: .write(rules)))
    for number in 1...Self.records { commit("n\(number)", "old", Int64(number + 1), version: 0) }
  }

  private static let phone = DeviceID(stem: "phone", random: 9)

  private mutating func commit(_ name: String, _ title: String, _ number: Int64, version: Int64) {
    let write = Write(
      dot: Dot(device: Self.phone, number: number), milliseconds: Rig.start - 100 + number,
      fields: [.init(name: "title", value: Scalar.text(title).bytes)], record: RecordWrite())
    commit(
      RecordOperation(key: RecordKey(type: "notes", name: name), expectedVersion: version, change: .write(write)))
  }

  private mutating func commit(_ operation: RecordOperation) {
    let reply = try? zone.commit([operation], serverMilliseconds: Rig.start)
    if case .committed? = reply?.results.first { return }
    Issue.record("\(operation.key) came to \(String(describing: reply))")
  }

  /// Starts a process with the content of the disk. The process requests three records per page.
  private mutating func process() throws -> SyncMachine {
    var settings = SyncSettings()
    settings.usesChannel = false
    settings.projection = RecordFleet.Projection()
    settings.pageRecords = 3
    var machine = SyncMachine(
      replica: try Replica(stored: disk, limits: RequestBudget.Limits.none)
        ?? Replica(device: Rig.device, limits: .none), settings: settings, seed: 1)
    requests = []
    give(.started, &machine)
    return machine
  }

  private mutating func give(_ event: SyncMachine.Event, _ machine: inout SyncMachine) {
    for effect in machine.handle(event, atMilliseconds: Rig.start) {
      switch effect {
      case .save(let changes):
        saves.append(changes)
        for change in changes { disk[change.key] = change.value }
      case .send(let number, let request): requests.append((number, request))
      case .openChannel, .closeChannel, .tell: break
      }
    }
  }

  /// Responds to the next request. Returns false if there is none.
  private mutating func answer(_ machine: inout SyncMachine) throws -> Bool {
    guard !requests.isEmpty else { return false }
    let (number, request) = requests.removeFirst()
    switch request {
    case .changes(let since, let limit, let bytes, let reader):
      let page = try zone.changes(
        since: since, limit: limit, maximumBytes: bytes, reader: reader, serverMilliseconds: Rig.start)
      give(.answered(number, .changes(page)), &machine)
    case .commit(let operations, _):
      let reply = try zone.commit(operations, serverMilliseconds: Rig.start)
      give(.answered(number, .commit(reply)), &machine)
    }
    return true
  }

  private func titles(_ machine: SyncMachine) -> [String] {
    (1...Self.records).compactMap { number in
      let value = machine.view(of: RecordKey(type: "notes", name: "n\(number)")).fields.first?.value
      if case .text(let text)? = value.flatMap({ Scalar(bytes: $0) }) { return text }
      return nil
    }
  }

  private static func records(_ changes: [StoreChange]) -> Int { changes.count { $0.key.hasPrefix("record/") } }

  @Test mutating func `the records of a fetch are shown and saved only after its last page has arrived`() throws {
    var machine = try process()
    for _ in 1...6 {
      #expect(try answer(&machine))
      #expect(titles(machine).isEmpty)
      #expect(machine.replica.cursor == nil)
    }
    #expect(saves.allSatisfy { Self.records($0) == 0 })
    #expect(try answer(&machine))
    #expect(titles(machine) == Array(repeating: "old", count: Self.records))
    #expect(machine.replica.cursor == zone.cursor)
    #expect(saves.map(Self.records).filter { $0 > 0 } == [Self.records + 1])
  }

  @Test mutating func `a fetch includes changes made meanwhile, even to records that it has already read`() throws {
    var machine = try process()
    #expect(try answer(&machine))
    commit("n1", "new", 30, version: 1)
    commit("n20", "new", 31, version: 1)
    while try answer(&machine) {}
    #expect(titles(machine) == ["new"] + Array(repeating: "old", count: Self.records - 2) + ["new"])
    #expect(machine.replica.cursor == zone.cursor)
  }

  @Test
  mutating func `if a process is killed during a fetch, nothing is saved, and the next process fetches everything`()
    throws
  {
    var machine = try process()
    for _ in 1...4 { #expect(try answer(&machine)) }
    machine = try process()
    #expect(titles(machine).isEmpty)
    while try answer(&machine) {}
    #expect(titles(machine).count == Self.records)
    machine = try process()
    #expect(titles(machine).count == Self.records)
  }

  @Test mutating func `a device keeps a change made during a fetch and has all records at the end of the fetch`() throws
  {
    var machine = try process()
    #expect(try answer(&machine))
    let key = RecordKey(type: "notes", name: "n1")
    give(.acted(key, .edit(RecordEdit(fields: ["title": .set(Scalar.text("mine").bytes)]))), &machine)
    #expect(titles(machine) == ["mine"])
    while try answer(&machine) {}
    #expect(titles(machine) == ["mine"] + Array(repeating: "old", count: Self.records - 1))
  }

  private static func dictionary(of table: ShardedTable<Int, Int>) -> [Int: Int] {
    let pairs: [(Int, Int)] = table.map { entry in (entry.key, entry.value) }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  @Test func `a sharded table has the same content as a dictionary, and its copies are independent`() {
    var random = SplitMix64(seed: 1)
    var (table, plain) = (ShardedTable<Int, Int>(), [Int: Int]())
    for round in 0..<5 {
      let (copy, before) = (table, plain)
      for _ in 0..<10_000 {
        let (key, value) = (Int(random.next() % 8000), Int(random.next() % 3))
        table[key] = value == 0 ? nil : value
        plain[key] = value == 0 ? nil : value
      }
      #expect(table.count == plain.count, "round \(round)")
      #expect(table.keys.sorted() == plain.keys.sorted())
      #expect(table.values.reduce(0, +) == plain.values.reduce(0, +))
      #expect(Self.dictionary(of: table) == plain)
      #expect(Self.dictionary(of: copy) == before)
    }
  }
}
