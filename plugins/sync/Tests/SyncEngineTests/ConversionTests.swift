import SyncCore
import SyncEngine
import SyncPomodoro
import Testing

/// What earlier versions have saved is converted when it is read. The bytes are those of version 0.9: a Mac had set the timer,
/// a setting and its description; a phone began a new day with a break; then the Mac, offline, changed three settings, set
/// the timer to idle and counted twice.
@Suite struct ConversionTests {
  private static let start: Int64 = 1_704_628_800_000

  private static let disk = saved(
    """
    budget
      0580a8dabc9c63d00fd00fd00fd00f01c8e639ad030000100164c0843d1414
    clock
      a0adaf9ece310000
    cursor
      05010400000000d6d6aea5a39f96dea8010104d6d6aea5a39f96dea801
    identity
      020c6d61632d303030303030303109
    outbox/0000000000000004
      0b43445f53657474696e67730873657474696e6773009e01050c6d61632d303030303030303106a8d7ae9ece3100010c6d61
      632d3030303030303031b0e70200010c6d61632d3030303030303031050000030473697a65056c617267650005736f756e64
      0462656c6c03a09c01000c6d61632d3030303030303031b0e70200057468656d65046461726b03c0b802000c6d61632d3030
      303030303031b0e70200a1d0d2cf83d28f90f301abc1978801020402fb4045e990f6dabc9c63000100
    outbox/0000000000000005
      0d43445f54696d657253746174650574696d65720064050c6d61632d303030303030303108b8a5af9ece3100030e70686f6e
      652d3030303030303032b0e40300020c6d61632d3030303030303031010e70686f6e652d3030303030303032010200000103
      00a1d0d2cf83d28f90f301cd919cf208010212459678f0cadebc9c63000100
    record/CD_DeviceInfo/mac-00000001
      0001037608010c6d61632d30303030303030310366f084a3a2b402b8abad9ece3100000000040a61707056657273696f6e00
      000003302e390a6465766963654e616d65000000034d6163086c6173745365656e0000000d31373034363238383033303030
      08706c6174666f726d000000056d61634f533e330dea
    record/CD_Settings/settings
      0001023508010c6d61632d303030303030303102a4520170a2b402d0a3ad9ece310000000001057468656d65000000056c69
      6768749fdb4f2d
    record/CD_TimerState/timer
      0002045f08020c6d61632d303030303030303101456d6ca8a2b4020e70686f6e652d303030303030303201307d7ac0a2b402
      a0b3ad9ece31010101020001b817011303e0c65b7b226d6f6f64223a2263616c6d227d010100000482e0a71200f5b99fa8
    statistics
      1006060ac0e6dabc9c63000002000000c0e6dabc9c63
    """)

  private static let zone = saved(
    """
    CD_DeviceInfo/mac-00000001
      08010c6d61632d30303030303030310366f084a3a2b402b8abad9ece3100000000040a61707056657273696f6e0000000330
      2e390a6465766963654e616d65000000034d6163086c6173745365656e0000000d3137303436323838303330303008706c61
      74666f726d000000056d61634f533e330dea
    CD_Settings/settings
      08010c6d61632d303030303030303102a4520170a2b402d0a3ad9ece310000000001057468656d65000000056c696768749f
      db4f2d
    CD_TimerState/timer
      08020c6d61632d303030303030303101456d6ca8a2b4020e70686f6e652d303030303030303201307d7ac0a2b402a0b3ad9e
      ce31010101020001b817011303e0c65b7b226d6f6f64223a2263616c6d227d010100000482e0a71200f5b99fa8
    """)

  /// Reads names, each followed by indented lines with the bytes in hexadecimal digits.
  private static func saved(_ text: String) -> [String: [UInt8]] {
    var (result, key): ([String: [UInt8]], String) = ([:], "")
    for line in text.split(separator: "\n") {
      guard line.hasPrefix(" ") else {
        key = String(line)
        continue
      }
      let digits = line.utf8.drop { $0 == UInt8(ascii: " ") }.map { UInt8(String(UnicodeScalar($0)), radix: 16) ?? 0 }
      result[key, default: []] += stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
    return result
  }

  /// The zone as it was, each record converted.
  private func converted() throws -> [RecordKey: Cell] {
    var cells: [RecordKey: Cell] = [:]
    for (name, bytes) in Self.zone {
      let parts = name.split(separator: "/").map(String.init)
      let key = RecordKey(type: parts[0], name: parts[1])
      #expect(OldCell.isOld(key, bytes))
      let (newKey, cell) = try OldCell.converted(key, packed: bytes)
      #expect(!OldCell.isOld(newKey, cell.packed()))
      cells[newKey] = cell
    }
    return cells
  }

  private func text(_ cell: Cell?, _ field: String) -> String? {
    guard let value = cell?.fields.first(where: { $0.name == field })?.value,
      case .text(let text)? = Scalar(bytes: value)
    else { return nil }
    return text
  }

  @Test func `S6 S8 V12: the records of a zone become records of collections, with all that was in them`() throws {
    let cells = try converted()
    let timer = try #require(cells[Pomodoro.timer])
    let shown = try #require(TimerStateRecord(cell: timer))
    #expect(shown.state.kind == .focus && shown.state.remainingMilliseconds == 1_500_000)
    #expect(shown.state.stateData == #"{"mood":"calm","remainingSeconds":1500}"#)
    #expect(shown.timestamp == Self.start + 1000 && shown.version == 1)
    // The phone's new day counts from 1.
    #expect(shown.completedPomodoros == 1)
    #expect(timer.entries.compactMap { TimerState(payload: $0.payload)?.kind } == [.focus, .breakTime])
    #expect(timer.content.living == timer.context.dots && timer.content.changed == timer.latestStamp)
    #expect(text(cells[Pomodoro.settings], "theme") == "light")
    let mac = DeviceID(stem: "mac", random: 1)
    let info = cells[DeviceInfo.key(of: mac)].flatMap { DeviceInfo(cell: $0) }
    #expect(
      info == DeviceInfo(deviceName: "Mac", platform: "macOS", appVersion: "0.9", lastSeen: Self.start + 3000))
  }

  @Test func `V14 V15: a device's file is converted once, and every act in it reaches the zone under its own time`()
    throws
  {
    let replica = try #require(try Replica(stored: Self.disk))
    var (rig, cells) = (Rig(replica: replica), try converted())
    for (key, cell) in cells.sorted(by: { $0.key < $1.key }) {
      #expect(replica.confirmed[key]?.cell.packed() == cell.packed(), "\(key)")
      let give = Operation(key: key, expectedVersion: 0, change: .join(cell))
      _ = try rig.zone.commit([give], serverMilliseconds: Self.start)
    }
    let waiting = replica.outbox.compactMap(\.write)
    #expect(waiting.map(\.dot.number) == [4, 5, 6, 8])
    #expect(waiting.map(\.milliseconds) == [5000, 15_000, 25_000, 35_000].map { Self.start + $0 })
    // The last of each keep the checksums by which zones may know them.
    #expect(waiting[2].check == 285_597_867 && waiting[3].check == 2_387_019_981)
    #expect(replica.statistics.actions == 8 && replica.statistics.lastHeardMilliseconds == Self.start + 4000)
    #expect(replica.nextNumber == 9)
    rig.now = Self.start + 40_000
    rig.start()
    rig.advance(milliseconds: 3000)
    #expect(rig.machine.replica.outbox.isEmpty)
    let settings = rig.zone.records[Pomodoro.settings]?.cell
    #expect(["theme", "sound", "size"].map { text(settings, $0) } == ["dark", "bell", "large"])
    let times = Dictionary(uniqueKeysWithValues: (settings?.fields ?? []).map { ($0.name, $0.stamp.milliseconds) })
    #expect(times == ["theme": 5000, "sound": 15_000, "size": 25_000].mapValues { Self.start + $0 })
    #expect(rig.shown == .idle && rig.zone.completed == 3)
    cells = rig.zone.records.mapValues(\.cell)
    // What is saved now is read as it is.
    let again = try #require(try Replica(stored: rig.disk.filter { !$0.key.hasPrefix("journal/") }))
    #expect(again.confirmed.count == cells.count)
    #expect(!rig.disk.keys.contains { $0.contains("CD_") })
  }

  @Test func `reading a file of an earlier version twice gives the same, and damage in it is named`() throws {
    let (one, other) = (try Replica(stored: Self.disk), try Replica(stored: Self.disk))
    #expect(one?.outbox.map(\.change) == other?.outbox.map(\.change))
    for key in ["record/CD_TimerState/timer", "outbox/0000000000000004"] {
      var disk = Self.disk
      disk[key]?.removeLast(9)
      #expect {
        try Replica(stored: disk)
      } throws: {
        "\($0)".contains("'\(key)'")
      }
    }
  }

  @Test func `what the first versions packed, without checksums, is read`() throws {
    let bytes: [[UInt8]] = [
      [1, 1, 3, 109, 97, 99, 1, 9, 5, 2, 0, 0], [2, 1, 3, 109, 97, 99, 1, 9, 0, 0, 0, 4, 5, 1, 5, 2, 0, 0],
    ]
    for packed in bytes {
      let (key, cell) = try OldCell.converted(RecordKey(type: "CD_TimerState", name: "timer"), packed: packed)
      #expect(key == Pomodoro.timer && TimerStateRecord.completed(in: cell) == 2)
      #expect(cell.context.dots == [Dot(device: try #require(DeviceID("mac")), number: 1)])
    }
    let rules = try OldWrite.converted(
      ZoneRules.key(of: "timers"),
      packed: [2, 3, 109, 97, 99, 1, 5, 0, 0, 0, 0, 0, 1, 6, 95, 97, 108, 105, 97, 115, 1, 120, 0])
    #expect(rules.writes.isEmpty)
  }
}
