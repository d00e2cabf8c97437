import SyncCore
import SyncPomodoro
import Testing

/// The rules for concurrent states of two devices (V4, V5, S18–S26).
struct PairRulesTests {
  private let rule = Pomodoro.decide
  private let mac = Histories.devices[0]
  private let phone = Histories.devices[1]

  private func write(
    _ device: DeviceID, _ kind: TimerKind, at milliseconds: Int64, left remaining: Int64 = 0, paused: Bool = false,
    count: Int64 = 0, epoch: Int64 = 0
  ) -> Write {
    Write(
      timer: Dot(device: device, number: 1), milliseconds: 100_000 + milliseconds,
      state: TimerState(kind: kind, remainingMilliseconds: remaining, isPaused: paused), completed: count, epoch: epoch)
  }

  private func outcome(_ writes: Write...) throws -> Cell.Reading {
    var (forward, backward) = (Cell(), Cell())
    for one in writes { forward.apply(one, windowMilliseconds: rule.windowMilliseconds) }
    for one in writes.reversed() { backward.apply(one, windowMilliseconds: rule.windowMilliseconds) }
    let reading = try #require(forward.reading(by: rule))
    #expect(backward.reading(by: rule)?.winner.dot == reading.winner.dot)
    return reading
  }

  @Test(arguments: TimerKind.allCases, TimerKind.allCases)
  func `S25: of two concurrent states, the one with the higher priority wins, even if it is older`(
    _ one: TimerKind, _ other: TimerKind
  ) throws {
    guard one != other else { return }
    for gap in [0, 1, 4999, 5000] as [Int64] {
      let reading = try outcome(write(mac, one, at: 0), write(phone, other, at: gap))
      let expected = one.priority > other.priority ? mac : phone
      #expect(reading.winner.dot.device == expected)
      #expect(reading.rule == .priority)
    }
  }

  @Test(arguments: [4999, 5000] as [Int64])
  func `S18, C13, F4: the rules for concurrent states apply to writes that are up to 5.000 s apart`(_ gap: Int64)
    throws
  {
    #expect(try outcome(write(mac, .focus, at: 0), write(phone, .idle, at: gap)).winner.dot.device == mac)
  }

  @Test func `S18: if two writes are 5.001 s apart, the newer state wins`() throws {
    #expect(try outcome(write(mac, .focus, at: 0), write(phone, .idle, at: 5001)).winner.dot.device == phone)
  }

  @Test func `S20: focus wins over idle in either order`() throws {
    #expect(try outcome(write(mac, .idle, at: 0), write(phone, .focus, at: 3)).winner.dot.device == phone)
    #expect(try outcome(write(mac, .focus, at: 0), write(phone, .idle, at: 3)).winner.dot.device == mac)
  }

  @Test(arguments: [TimerKind.focus, .breakTime])
  func `S21, S22, F16: of two running timers, the one with less time left at the same instant wins`(_ kind: TimerKind)
    throws
  {
    let less = try outcome(write(mac, kind, at: 0, left: 60_000), write(phone, kind, at: 0, left: 90_000))
    #expect(less.winner.dot.device == mac)
    #expect(less.rule == .remaining)
    // By their stored values, the phone's timer has less time left. At the same instant, the Mac's timer has a second
    // less.
    let aged = try outcome(write(mac, kind, at: 0, left: 1_500_000), write(phone, kind, at: 4000, left: 1_497_000))
    #expect(aged.winner.dot.device == mac)
  }

  @Test func `M7: the remaining time of a paused timer does not decrease`() throws {
    let reading = try outcome(
      write(mac, .focus, at: 0, left: 1_500_000, paused: true), write(phone, .focus, at: 4000, left: 1_499_000))
    #expect(reading.winner.dot.device == phone)
  }

  @Test func `S21, S23, F5: if no other rule decides, the newer state wins; in a tie, the larger device name`() throws {
    let newer = try outcome(write(mac, .idle, at: 0), write(phone, .idle, at: 1))
    #expect(newer.winner.dot.device == phone)
    #expect(newer.rule == .newest)
    let tie = try outcome(write(mac, .focus, at: 0, left: 1), write(phone, .focus, at: 0, left: 1))
    #expect(tie.winner.dot.device == max(mac, phone))
    #expect(tie.rule == .device)
  }

  @Test func `S26, F3: focus at 12:00:00 and a break at 12:00:03 result in focus`() throws {
    let reading = try outcome(
      write(mac, .focus, at: 0, left: 1_500_000), write(phone, .breakTime, at: 3000, left: 300_000))
    #expect(reading.winner.dot.device == mac)
  }

  @Test func `S19, M8: the larger count is kept, even if the newer state has a smaller count`() {
    for gap in [0, 3000, 9000] as [Int64] {
      var cell = Cell()
      cell.apply(write(mac, .idle, at: 0, count: 7), windowMilliseconds: rule.windowMilliseconds)
      cell.apply(write(phone, .focus, at: gap, count: 5), windowMilliseconds: rule.windowMilliseconds)
      #expect(TimerStateRecord.completed(in: cell) == 7)
    }
  }

  @Test func `M5: a write without a state neither drops the current state nor makes it older`() throws {
    var cell = Cell()
    let state = write(mac, .focus, at: 0, left: 60_000)
    cell.apply(state, windowMilliseconds: rule.windowMilliseconds)
    var done = Write(timer: Dot(device: phone, number: 1), milliseconds: 160_000, state: nil, completed: 1)
    done.fields = [.init(name: "x", value: [1])]
    cell.apply(done, windowMilliseconds: rule.windowMilliseconds)
    #expect(cell.entries.map(\.dot) == [state.dot])
    #expect(cell.horizonMilliseconds == 100_000)
    #expect(try Cell(packed: cell.packed()) == cell)
  }

  @Test func `F18: the count of a new day starts at 0, and a late count of the previous day is ignored`() {
    var cell = Cell()
    cell.apply(write(mac, .idle, at: 0, epoch: 1), windowMilliseconds: rule.windowMilliseconds)
    cell.apply(write(phone, .focus, at: 100, count: 9), windowMilliseconds: rule.windowMilliseconds)
    #expect(TimerStateRecord.completed(in: cell) == 0)
  }

  @Test func `F9: within the conflict window, an older state can win over a newer one`() throws {
    #expect(try outcome(write(phone, .idle, at: 3000), write(mac, .focus, at: 0)).winner.dot.device == mac)
  }

  @Test func `a conflict is causal if the winner had seen the loser, and last-writer-wins outside the window`() {
    var cell = Cell()
    let first = write(mac, .focus, at: 0, left: 60_000)
    cell.apply(first, windowMilliseconds: rule.windowMilliseconds)
    let loser = cell.entries[0]
    var seeing = write(phone, .idle, at: 3000)
    seeing.context = cell.context
    var (causal, late) = (cell, cell)
    causal.apply(seeing, windowMilliseconds: rule.windowMilliseconds)
    late.apply(write(phone, .idle, at: 6000), windowMilliseconds: rule.windowMilliseconds)
    #expect(causal.resolution(replacing: loser, by: rule) == .causal)
    #expect(late.resolution(replacing: loser, by: rule) == .lww)
  }
}
