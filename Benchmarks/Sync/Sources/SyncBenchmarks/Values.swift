import SyncCore
import SyncPomodoro
import SyncSimulation

/// Measurements that need no store: merging, and simulated histories on a virtual clock.
enum Values {
  static func merging(_ figures: Figures) {
    let rule = Pomodoro.decide
    var (left, right) = (Cell(), Cell())
    for index in 0..<3 {
      let write = Write(
        timer: Dot(device: DeviceID(stem: "MacBook-Pro", random: UInt32(index)), number: 7),
        milliseconds: 1_704_628_800_000 + Int64(index),
        state: TimerState(kind: .focus, remainingMilliseconds: 1_500_000 + Int64(index)))
      if index < 2 { left.apply(write, windowMilliseconds: rule.windowMilliseconds) }
      if index > 0 { right.apply(write, windowMilliseconds: rule.windowMilliseconds) }
    }
    let (rounds, batches) = (20_000, 20)
    var (joins, readings): ([Double], [Double]) = ([], [])
    let both = Cell.join(left, right, windowMilliseconds: rule.windowMilliseconds)
    for _ in 0..<batches {
      var entries = 0
      let began = Instant.now
      for _ in 0..<rounds { entries += Cell.join(left, right, windowMilliseconds: 5000).entries.count }
      let between = Instant.now
      for _ in 0..<rounds { entries += both.reading(by: rule)?.contenders ?? 0 }
      let end = Instant.now
      // The count is checked, so that the compiler cannot remove the work.
      precondition(entries >= 3 * rounds)
      joins.append(Double(between - began) / Double(rounds))
      readings.append(Double(end - between) / Double(rounds))
    }
    let (joined, reading) = (joins.sorted()[batches / 2], readings.sorted()[batches / 2])
    figures.add(
      "merge of two cells, three devices", joined / 1000, "µs", atMost: 2,
      detail: "reading the winner \(Figures.short(reading / 1000)) µs",
      figures: ["mergeNanoseconds": joined, "readingNanoseconds": reading])
  }

  /// Runs the histories on all cores, which is possible because they are independent.
  static func histories(_ figures: Figures) async {
    let (began, busy) = (Instant.now, Instant.processor)
    let bad = await withTaskGroup(of: Int.self) { group in
      for first in stride(from: UInt64(1), through: 10_000, by: 100) {
        group.addTask { (first..<first + 100).count { !Simulation.run(.concurrentHistory(seed: $0)).isGood } }
      }
      return await group.reduce(0, +)
    }
    let (seconds, used) = (Double(Instant.now - began) / 1e9, Double(Instant.processor - busy) / 1e9)
    figures.add(
      "10,000 simulated concurrent histories", seconds, "s", atMost: 30,
      detail:
        "\(bad == 0 ? "all converged and equal to the oracle" : "\(bad) DID NOT CONVERGE"); \(Figures.short(used)) s of processor time",
      figures: ["seconds": seconds, "processorSeconds": used, "bad": Double(bad)])
  }

  static func month(_ figures: Figures) {
    let began = Instant.now
    let report = Simulation.run(.day(seed: 1, devices: 64, hours: 720, loss: 0))
    figures.add(
      "64 devices for 720 hours, simulated, 12 acts an hour", Double(Instant.now - began) / 1e9, "s", atMost: 60,
      detail: report.isGood ? "converged and equal to the oracle" : "DID NOT CONVERGE")
  }
}
