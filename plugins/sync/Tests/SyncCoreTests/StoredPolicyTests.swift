import FlowBytes
import SyncCore
import SyncPomodoro
import Testing

/// The timer's schema decides and refuses what its rules say, on random histories.
@Suite struct StoredPolicyTests {
  private let reference = TimerReference()
  private let schema = Pomodoro.policy

  @Test func `S18–S26 M3–M8: histories of writes and joins end in one cell, and in one reading of it`() throws {
    var random = SplitMix64(seed: 11)
    for round in 0..<1500 {
      var cells = Array(repeating: (mine: Cell(), theirs: Cell()), count: 3)
      var numbers = [Int64](repeating: 0, count: 4)
      for _ in 0..<(4 + Int(random.next() % 20)) {
        let place = Int(random.next() % 3)
        if random.next() % 4 == 0 {
          let other = Int(random.next() % 3)
          cells[place] = (
            Cell.join(cells[place].mine, cells[other].mine, windowMilliseconds: reference.windowMilliseconds),
            Cell.join(cells[place].theirs, cells[other].theirs, windowMilliseconds: schema.windowMilliseconds)
          )
          continue
        }
        let device = Int(random.next() % 4)
        numbers[device] += 1
        let write = Self.write(Histories.devices[device], numbers[device], seeing: cells[place].mine, &random)
        cells[place].mine.apply(write, windowMilliseconds: reference.windowMilliseconds)
        cells[place].theirs.apply(write, windowMilliseconds: schema.windowMilliseconds)
      }
      for (mine, theirs) in cells {
        #expect(mine == theirs, "round \(round)")
        #expect(mine.reading(by: reference) == theirs.reading(by: schema), "round \(round)")
      }
    }
  }

  @Test func `S6–S10: what is not a timer, no setting and no device's own description is refused, in the same words`() {
    var random = SplitMix64(seed: 12)
    let (mac, phone) = (Histories.devices[0], Histories.devices[1])
    let keys = [
      Pomodoro.timer, Pomodoro.settings, RecordKey(type: Pomodoro.timer.type, name: "timer2"),
      RecordKey(type: Pomodoro.deviceInfoType, name: mac.name), RecordKey(type: Pomodoro.deviceInfoType, name: "other"),
      RecordKey(type: "CD_Foreign", name: "x"), RecordKey(type: Pomodoro.settings.type, name: "x"),
    ]
    for round in 0..<2000 {
      var write = Self.write(random.next() % 2 == 0 ? mac : phone, 1, seeing: Cell(), &random)
      if random.next() % 5 == 0 { write.payload = [UInt8(random.next() % 256), 200] }
      if random.next() % 3 == 0 { write.payload = nil }
      if random.next() % 2 == 0 {
        let platform = ["linux", "BeOS", "macOS"][Int(random.next() % 3)]
        write.fields = [.init(name: random.next() % 2 == 0 ? "platform" : "theme", value: Array(platform.utf8))]
      }
      for key in keys {
        let (one, other) = (reference.problem(with: write, for: key), schema.problem(with: write, for: key))
        #expect((one == nil) == (other == nil), "round \(round) \(key): \(one ?? "-") / \(other ?? "-")")
        var cell = Cell()
        cell.apply(write, windowMilliseconds: 5000)
        let (mine, theirs) = (reference.problem(with: cell, for: key), schema.problem(with: cell, for: key))
        #expect((mine == nil) == (theirs == nil), "round \(round) \(key): \(mine ?? "-") / \(theirs ?? "-")")
      }
    }
  }

  private static func write(
    _ device: DeviceID, _ number: Int64, seeing cell: Cell, _ random: inout SplitMix64
  ) -> Write {
    let state = TimerState(
      kind: TimerKind.allCases[Int(random.next() % 4)], remainingMilliseconds: Int64(random.next() % 5) * 1000,
      isPaused: random.next() % 3 == 0)
    return Write(
      dot: Dot(device: device, number: number), milliseconds: Int64(100_000 + random.next() % 24 * 500),
      counter: UInt32(random.next() % 2), context: random.next() % 2 == 0 ? cell.context : VersionVector(),
      payload: random.next() % 6 == 0 ? nil : state.payload,
      tally: Tally(epoch: Int64(random.next() % 2), count: Int64(random.next() % 4)))
  }
}
