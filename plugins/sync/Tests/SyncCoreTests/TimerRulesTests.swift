import FlowBytes
import SyncCore
import SyncPomodoro
import Testing

/// Compares the timer's schema with the handwritten rules for random histories.
struct TimerRulesTests {
  @Test func `S18–S26, M3–M8: in random histories, the schema and the handwritten rules select the same state`()
    throws
  {
    #expect(Pomodoro.decide.windowMilliseconds == TimerReference.windowMilliseconds)
    var random = SplitMix64(seed: 11)
    var conflicts = 0
    for round in 0..<1500 {
      var cells = Array(repeating: Cell(), count: 3)
      var numbers = [Int64](repeating: 0, count: 4)
      for _ in 0..<(4 + Int(random.next() % 20)) {
        let place = Int(random.next() % 3)
        if random.next() % 4 == 0 {
          let other = Int(random.next() % 3)
          cells[place] = Cell.join(
            cells[place], cells[other], windowMilliseconds: TimerReference.windowMilliseconds)
          continue
        }
        let device = Int(random.next() % 4)
        numbers[device] += 1
        let write = Self.write(Histories.devices[device], numbers[device], seeing: cells[place], &random)
        cells[place].apply(write, windowMilliseconds: TimerReference.windowMilliseconds)
      }
      for cell in cells {
        #expect(cell.reading(by: Pomodoro.decide)?.winner == TimerReference.winner(of: cell), "round \(round)")
        conflicts += cell.entries.count > 1 ? 1 : 0
      }
    }
    #expect(conflicts > 500)
  }

  private static func write(
    _ device: DeviceID, _ number: Int64, seeing cell: Cell, _ random: inout SplitMix64
  ) -> Write {
    let state = TimerState(
      kind: TimerKind.allCases[Int(random.next() % 4)], remainingMilliseconds: Int64(random.next() % 5) * 1000,
      isPaused: random.next() % 3 == 0)
    return Write(
      timer: Dot(device: device, number: number), milliseconds: Int64(100_000 + random.next() % 24 * 500),
      counter: UInt32(random.next() % 2), context: random.next() % 2 == 0 ? cell.context : VersionVector(),
      state: random.next() % 6 == 0 ? nil : state, completed: Int64(random.next() % 4),
      epoch: Int64(random.next() % 2))
  }
}
