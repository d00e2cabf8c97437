import SyncCore
import SyncPomodoro
import TestSupport
import Testing

/// The laws of merging that make replicas equal in any order of changes (V1–V3, V6–V10, S27).
struct MergeLawsTests {
  private let window = Histories.window

  private func join(_ left: Cell, _ right: Cell) -> Cell { Cell.join(left, right, windowMilliseconds: window) }

  @Test func `V1, V2, V3: merging is commutative, associative and idempotent`() {
    for seed in TestExtent.seeds(750, of: 3000, release: 3000) {
      var histories = Histories(seed: seed)
      let (a, b, c) = histories.threeCells()
      #expect(join(a, b) == join(b, a), "seed \(seed)")
      #expect(join(join(a, b), c) == join(a, join(b, c)), "seed \(seed)")
      #expect(join(a, a) == a, "seed \(seed)")
      #expect(join(join(a, b), b) == join(a, b), "seed \(seed)")
    }
  }

  @Test func `V3, M4: applying a write twice has the same effect as applying it once`() {
    for seed in TestExtent.seeds(125, of: 500, release: 500) {
      var histories = Histories(seed: seed)
      var (cell, _, _) = histories.threeCells()
      histories.replicas[0] = cell
      let write = histories.nextWrite(of: 0)
      cell.apply(write, windowMilliseconds: window)
      let once = cell
      let isNews = cell.apply(write, windowMilliseconds: window)
      #expect(!isNews, "seed \(seed)")
      #expect(cell == once, "seed \(seed)")
    }
  }

  @Test func `M4: a write repeated after a lost acknowledgement does not restore a superseded state`() {
    var cell = Cell()
    let (mac, phone) = (Histories.devices[0], Histories.devices[1])
    let first = Write(
      timer: Dot(device: mac, number: 1), milliseconds: 1000,
      state: TimerState(kind: .focus))
    cell.apply(first, windowMilliseconds: window)
    let stop = Write(
      timer: Dot(device: phone, number: 1), milliseconds: 1100, context: cell.context,
      state: TimerState(kind: .idle))
    cell.apply(stop, windowMilliseconds: window)
    let isNews = cell.apply(first, windowMilliseconds: window)
    #expect(!isNews)
    #expect(cell.entries.map(\.dot) == [stop.dot])
  }

  @Test func `V6, F15: a write removes all states that its author had seen, even within the conflict window`() {
    for seed in TestExtent.seeds(125, of: 500, release: 500) {
      var histories = Histories(seed: seed)
      var (cell, _, _) = histories.threeCells()
      let seen = cell.entries.map(\.dot)
      histories.replicas[1] = cell
      var write = histories.nextWrite(of: 1)
      write.payload = TimerState(kind: .idle).recordState.payload
      cell.apply(write, windowMilliseconds: window)
      #expect(cell.entries.map(\.dot) == [write.dot], "seed \(seed), seen \(seen)")
    }
  }

  @Test func `V7, V8: a merged cell has at most one entry per device and the larger of the two counts`() {
    for seed in TestExtent.seeds(250, of: 1000, release: 1000) {
      var histories = Histories(seed: seed)
      let (a, b, _) = histories.threeCells()
      let both = join(a, b)
      #expect(Set(both.entries.map(\.dot.device)).count == both.entries.count, "seed \(seed)")
      #expect(
        TimerStateRecord.completed(in: both)
          == max(TimerStateRecord.completed(in: a), TimerStateRecord.completed(in: b)),
        "seed \(seed)")
    }
  }

  @Test func `V9, F17: the winner is one of the written states, never a mixture of them`() throws {
    for seed in TestExtent.seeds(250, of: 1000, release: 1000) {
      var histories = Histories(seed: seed)
      let (a, b, _) = histories.threeCells()
      guard let winner = join(a, b).reading(by: Pomodoro.decide)?.winner else { continue }
      #expect((a.entries + b.entries).contains { $0.dot == winner.dot && $0.payload == winner.payload }, "seed \(seed)")
    }
  }

  @Test func `V10: shifting all clocks by the same amount does not change the winner or the deciding rule`() {
    for seed in TestExtent.seeds(125, of: 500, release: 500) {
      var (plain, shifted) = (Histories(seed: seed), Histories(seed: seed))
      shifted.time += 123_456_789
      let (a, b, _) = plain.threeCells()
      let (c, d, _) = shifted.threeCells()
      let (one, other) = (join(a, b).reading(by: Pomodoro.decide), join(c, d).reading(by: Pomodoro.decide))
      #expect(one?.winner.dot == other?.winner.dot, "seed \(seed)")
      #expect(one?.rule == other?.rule, "seed \(seed)")
    }
  }

  @Test func `the bytes of a cell do not depend on the order in which writes arrive`() {
    // The cycle of F14: focus wins over break, break over idle, and idle over focus because of the window. For the set
    // of all three states, there is only one result.
    let kinds: [(TimerKind, Int64)] = [(.focus, 0), (.breakTime, 3000), (.idle, 6000)]
    let writes = zip(Histories.devices, kinds).map { device, one in
      Write(
        timer: Dot(device: device, number: 1), milliseconds: 1000 + one.1,
        state: TimerState(kind: one.0, remainingMilliseconds: 300_000))
    }
    var outcomes: Set<[UInt8]> = []
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var cells = writes.map { write -> Cell in
        var cell = Cell()
        cell.apply(write, windowMilliseconds: window)
        return cell
      }
      cells = order.map { cells[$0] }
      outcomes.insert(join(join(cells[0], cells[1]), cells[2]).packed())
      var inOrder = Cell()
      for index in order { inOrder.apply(writes[index], windowMilliseconds: window) }
      #expect(inOrder.reading(by: Pomodoro.decide)?.winner.dot == writes[1].dot)
    }
    #expect(outcomes.count == 1)
  }
}
