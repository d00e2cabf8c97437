import SyncCore
import SyncEngine
import SyncRecords

/// Another store in the simulated world, created by other people from the same schema. Its data must not reach a device
/// of the plan, and a device's data must not reach it.
struct OtherStore {
  private(set) var zone: ZoneState
  /// The zone's position after the changes of the other store's own users.
  private let end: Cursor

  init(_ plan: SimulationPlan) {
    zone = ZoneState(generation: ~plan.seed | 1, store: StoreIdentity(number: ~plan.seed))
    var settings = plan.settings
    settings.usesChannel = false
    var stranger = SyncMachine(
      replica: Replica(device: DeviceID(stem: "stranger", random: 1), limits: .none), settings: settings,
      seed: ~plan.seed)
    var now = Simulation.epochMilliseconds - 86_400_000
    var waiting: [SyncMachine.Event] = [.started]
    for collection in plan.schema.collections {
      if let action = try? collection.declaration(to: stranger) {
        waiting.append(.acted(ZoneRules.key(of: collection.name), action))
      }
    }
    Self.play(&waiting, &stranger, &zone, &now)
    var vocabulary = Vocabulary(plan.schema, seed: ~plan.seed)
    for _ in 0..<8 {
      waiting = vocabulary.acts(on: stranger).prefix(1).map { .acted($0.key, .edit($0.edit)) }
      Self.play(&waiting, &stranger, &zone, &now)
    }
    end = zone.cursor
  }

  /// True if the zone contains only the changes of the other store's own users.
  var isUntouched: Bool { zone.cursor == end }

  mutating func answer(
    _ request: SyncMachine.Request, of replica: Replica, _ subscription: SyncSubscription?, now: Int64
  ) throws(BackendError) -> SyncMachine.Answer {
    try Self.answer(request, replica.binding.store, subscription, &zone, now)
  }

  private static func answer(
    _ request: SyncMachine.Request, _ store: StoreIdentity?, _ subscription: SyncSubscription?, _ zone: inout ZoneState,
    _ now: Int64
  ) throws(BackendError) -> SyncMachine.Answer {
    switch request {
    case .commit(let operations, let heard):
      .commit(try zone.commit(operations, heard: heard, in: store, serverMilliseconds: now))
    case .changes(let cursor, let limit, let maximumBytes, let reader):
      .changes(
        try zone.changes(
          since: cursor, limit: limit, maximumBytes: maximumBytes, reader: reader, of: subscription, in: store,
          serverMilliseconds: now))
    }
  }

  /// Runs a device on a perfect network until it is idle or has handled 100 events.
  private static func play(
    _ waiting: inout [SyncMachine.Event], _ machine: inout SyncMachine, _ zone: inout ZoneState, _ now: inout Int64
  ) {
    for _ in 0..<100 {
      if waiting.isEmpty {
        guard !machine.isFlushed, let wake = machine.nextWake(atMilliseconds: now) else { return }
        now = max(now + 1, wake)
        waiting = [.woke]
      }
      for case .send(let number, let request) in machine.handle(waiting.removeFirst(), atMilliseconds: now) {
        do throws(BackendError) {
          let store = machine.replica.binding.store
          waiting.append(.answered(number, try answer(request, store, machine.settings.subscription, &zone, now)))
        } catch {
          waiting.append(.failed(number, error))
        }
      }
    }
  }
}
