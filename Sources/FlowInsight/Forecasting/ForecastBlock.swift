import FlowEngine
import FlowModel

/// The results of some consecutive simulated runs, which are computed as one unit.
package struct ForecastBlock: Sendable {
  /// The time until everything was ready in each run, in nanoseconds, or `Int.max` if it never was.
  var readyAt: [Int] = []
  /// The time until the gate opened in each run, in nanoseconds, or `Int.max` if it never did.
  var openedAt: [Int] = []
  var outcomes: [GateOutcome] = []
  /// The duration of each step, grouped by run.
  var lengths: [PackedLength] = []

  /// Simulates the runs with these numbers. The result of a run depends only on its number.
  package init(_ model: ForecastModel, _ runs: Range<Int>) {
    let count = model.graph.workflow.steps.count
    readyAt.reserveCapacity(runs.count)
    openedAt.reserveCapacity(runs.count)
    outcomes.reserveCapacity(runs.count)
    lengths.reserveCapacity(runs.count * count)
    var player = RunPlayer(model.started, in: ForecastWorld(model))
    for run in runs {
      model.play(run, with: &player)
      let gate = player.plan.gateInstants
      readyAt.append(gate.readyAt == .min ? .max : gate.readyAt)
      openedAt.append(gate.openedAt == .min ? .max : gate.openedAt)
      outcomes.append(gate.outcome ?? .cancelled)
      for step in 0..<count {
        let instants = player.plan.instants(of: StepIndex(step))
        guard instants.startedAt != .min, instants.endedAt != .min else {
          lengths.append(.none)
          continue
        }
        let length = instants.endedAt - instants.startedAt - player.world.waits[step]
        lengths.append(PackedLength(nanoseconds: length))
      }
    }
  }
}

extension ForecastModel {
  func play(_ run: Int, with player: inout RunPlayer<ForecastWorld>) {
    player.world.begin(run)
    player.reset(to: started)
    for event in options.events {
      player.schedule(.posted(event.event), atNanoseconds: event.afterNanoseconds)
      player.schedule(.announcedEventDone, atNanoseconds: event.afterNanoseconds)
    }
    for name in recordedEvents {
      let time = player.world.timeOfRecordedEvent(name)
      if let time { player.schedule(.posted(name), atNanoseconds: max(0, time)) }
      player.schedule(.announcedEventDone, atNanoseconds: max(0, time ?? 0))
    }
    player.begin(Self.limitNanoseconds)
  }
}
