import FlowBytes
import SyncCore
import SyncPomodoro
import SyncRecords

extension SimulationPlan {
  /// Returns a short, dense history with all kinds of faults: two to four devices with edits within and just outside
  /// the window.
  ///
  /// Messages are lost, duplicated, reordered or late. Most clocks are wrong by up to 3 s, and one in eight by 10 min.
  /// Users go offline, processes are killed, cursors are lost, and devices connect to the store of other people.
  package static func concurrentHistory(seed: UInt64, schema: RecordSchema = Pomodoro.schema) -> SimulationPlan {
    var random = SplitMix64(seed: seed ^ 0x5eed)
    let devices = Int.random(in: 2...4, using: &random)
    var plan = SimulationPlan(seed: seed, devices: devices, healsAtMilliseconds: 60_000, schema: schema)
    plan.faults.loss = [0, 0, 0.1, 0.4].randomElement(using: &random) ?? 0
    plan.faults.duplication = [0, 0.1, 0.3].randomElement(using: &random) ?? 0
    plan.faults.lateness = [0, 0, 0.1].randomElement(using: &random) ?? 0
    plan.faults.delayMilliseconds = Bool.random(using: &random) ? 5...80 : 50...2000
    plan.faults.skewsMilliseconds = (0..<devices).map { _ in
      Int.random(in: 0..<8, using: &random) == 0 ? 600_000 : Int64.random(in: -3000...3000, using: &random)
    }
    var time = Int64.random(in: 0...3000, using: &random)
    for _ in 0..<Int.random(in: 3...14, using: &random) {
      plan.steps.append(Step(time, Int.random(in: 0..<devices, using: &random), command(&random)))
      time += Int64.random(in: 0...(Bool.random(using: &random) ? 400 : 7000), using: &random)
    }
    for device in 0..<devices {
      plan.steps.append(Step(59_000, device, .pointed(elsewhere: false)))
      plan.steps.append(Step(60_000, device, .switched(online: true)))
    }
    return plan
  }

  /// Returns one or more days of ordinary use: about twelve actions per hour on all devices together, some of them at
  /// nearly the same time.
  ///
  /// Clocks are wrong by up to 3 s. If `loss` is above 0, messages are also duplicated or late, users go offline,
  /// processes are killed, and cursors are lost.
  package static func day(
    seed: UInt64, devices: Int, hours: Int, loss: Double, schema: RecordSchema = Pomodoro.schema
  ) -> SimulationPlan {
    var random = SplitMix64(seed: seed ^ 0xda7)
    let end = Int64(hours) * 3_600_000
    var plan = SimulationPlan(seed: seed, devices: devices, healsAtMilliseconds: end, schema: schema)
    plan.faults.loss = loss
    plan.faults.duplication = loss / 2
    plan.faults.lateness = loss / 4
    plan.faults.delayMilliseconds = 20...120
    plan.faults.skewsMilliseconds = (0..<devices).map { _ in Int64.random(in: -3000...3000, using: &random) }
    for device in 0..<devices {
      var time: Int64 = Int64.random(in: 10_000...600_000, using: &random)
      while time < end - 600_000 {
        plan.steps.append(Step(time, device, .drawn(random.next())))
        if devices > 1, Int.random(in: 0..<4, using: &random) == 0 {
          let other = (device + Int.random(in: 1..<devices, using: &random)) % devices
          let soon = time + Int64.random(in: 0...8000, using: &random)
          plan.steps.append(Step(soon, other, .drawn(random.next())))
        }
        time += Int64.random(in: 120_000...(1_800_000), using: &random) * Int64(max(3, devices)) / 3
      }
      if loss > 0 { plan.addTroubles(to: device, until: end, &random) }
    }
    return plan
  }

  /// Adds faults that affect a device, about one every six hours.
  private mutating func addTroubles(to device: Int, until end: Int64, _ random: inout SplitMix64) {
    var time = Int64.random(in: 0...21_600_000, using: &random)
    while time < end {
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        steps.append(
          Step(time, device, .crash(restartAfterMilliseconds: Int64.random(in: 1...600_000, using: &random))))
      case 1: steps.append(Step(time, device, .loseCursor))
      case 2:
        steps.append(Step(time, device, .pointed(elsewhere: true)))
        let back = time + Int64.random(in: 1000...3_600_000, using: &random)
        steps.append(Step(min(back, end), device, .pointed(elsewhere: false)))
        time = back
      default:
        steps.append(Step(time, device, .switched(online: false)))
        let back = time + Int64.random(in: 1000...7_200_000, using: &random)
        steps.append(Step(min(back, end), device, .switched(online: true)))
        time = back
      }
      time += Int64.random(in: 0...43_200_000, using: &random)
    }
  }

  private static func command(_ random: inout SplitMix64) -> Command {
    switch Int.random(in: 0..<26, using: &random) {
    case 0: .switched(online: false)
    case 1: .switched(online: true)
    case 2: .crash(restartAfterMilliseconds: Int64.random(in: 1...4000, using: &random))
    case 3: .loseCursor
    case 4: .pointed(elsewhere: true)
    case 5: .pointed(elsewhere: false)
    default: .drawn(random.next())
    }
  }
}
