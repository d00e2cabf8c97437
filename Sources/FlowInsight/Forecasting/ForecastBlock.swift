import FlowEngine
import FlowModel

/// What came out of launches that were played one after the other.
package struct ForecastBlock: Sendable {
  /// When everything was ready, by launch; `Int.max`: never.
  var readyAt: [Int] = []
  /// When the gate opened, by launch; `Int.max`: never.
  var openedAt: [Int] = []
  /// How the gate opened, by launch.
  var outcomes: [GateOutcome] = []
  /// How long each step took, launch by launch.
  var lengths: [PackedLength] = []

  /// Plays launches by their numbers; each depends on its number alone.
  package init(_ model: ForecastModel, _ launches: Range<Int>) {
    let count = model.graph.workflow.steps.count
    readyAt.reserveCapacity(launches.count)
    openedAt.reserveCapacity(launches.count)
    outcomes.reserveCapacity(launches.count)
    lengths.reserveCapacity(launches.count * count)
    var player = LaunchPlayer(model.started, in: ForecastWorld(model))
    for launch in launches {
      model.play(launch, with: &player)
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
  /// Plays a launch by its number.
  func play(_ launch: Int, with player: inout LaunchPlayer<ForecastWorld>) {
    player.world.begin(launch)
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
