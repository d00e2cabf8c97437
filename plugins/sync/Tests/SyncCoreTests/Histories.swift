import FlowBytes
import SyncCore
import SyncPomodoro

/// Random cells as they arise on replicas. Each device writes to its own replica and sometimes merges the cell of
/// another device into it.
struct Histories {
  static let devices = (1...5).map { DeviceID(stem: "d", random: UInt32($0)) }
  static let window: Int64 = 5000

  var random: SplitMix64
  var replicas: [Cell]
  var numbers: [Int64]
  var time: Int64 = 1_704_628_800_000

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    replicas = Self.devices.map { _ in Cell() }
    numbers = Self.devices.map { _ in 0 }
  }

  /// Performs random writes and merges, and returns three of the replicas.
  mutating func threeCells() -> (Cell, Cell, Cell) {
    for _ in 0..<Int.random(in: 2...14, using: &random) {
      let who = Int.random(in: 0..<replicas.count, using: &random)
      if Int.random(in: 0..<3, using: &random) == 0 {
        let other = Int.random(in: 0..<replicas.count, using: &random)
        replicas[who] = Cell.join(replicas[who], replicas[other], windowMilliseconds: Self.window)
      } else {
        let write = nextWrite(of: who)
        replicas[who].apply(write, windowMilliseconds: Self.window)
      }
    }
    let picked = replicas.shuffled(using: &random)
    return (picked[0], picked[1], picked[2])
  }

  mutating func nextWrite(of who: Int) -> Write {
    time += Int64.random(in: 0...4000, using: &random)
    numbers[who] += 1
    let cell = replicas[who]
    let kind = TimerKind.allCases.randomElement(using: &random) ?? .idle
    let state = TimerState(
      kind: kind, remainingMilliseconds: kind.runsDown ? Int64.random(in: 0...10_000, using: &random) : 0,
      isPaused: Bool.random(using: &random))
    var write = Write(
      timer: Dot(device: Self.devices[who], number: numbers[who]), milliseconds: time, seen: cell.latestStamp,
      context: cell.context, state: Int.random(in: 0..<6, using: &random) == 0 ? nil : state,
      completed: TimerStateRecord.completed(in: cell) + Int64.random(in: 0...1, using: &random))
    if Bool.random(using: &random) {
      write.fields = [.init(name: "f\(Int.random(in: 0...2, using: &random))", value: [1])]
    }
    if let seen = write.seen { write.stamp = write.stamp.raised(above: seen) }
    return write
  }
}
