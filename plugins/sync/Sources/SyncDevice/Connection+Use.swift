import FlowModel
import FlowPluginKit
import SyncCore
import SyncEngine

extension Connection {
  /// Notifies the other devices of this one, when what they know is missing, different or old (S8, M10).
  package func announce(name: String, version: String) async throws {
    let machine = await session.machine
    let key = DeviceInfo.key(of: machine.replica.device)
    let now = SystemClock().nowMilliseconds() + machine.replica.skewMilliseconds
    let info = DeviceInfo(
      deviceName: name, platform: DeviceInfo.thisPlatform, appVersion: version, lastSeen: now)
    guard let renewed = info.renewing(DeviceInfo(cell: machine.view(of: key))) else { return }
    do {
      try await session.act(key, .edit(renewed.edit))
    } catch {
      throw Failure.error(error)
    }
  }

  /// How many changes that a workflow made wait to be sent: neither what the device reports itself nor the rules of its
  /// schema, which each run brings up to date by itself.
  package var waitingChanges: Int {
    get async {
      await session.machine.replica.outbox.waiting.count {
        $0.key.type != DeviceInfo.collection && $0.key.type != ZoneRules.type
      }
    }
  }

  /// Throws when the zone has no place for this device, as far as that is known: one that has never synchronized, or that
  /// found no place last time, waits a little to hear.
  package func checkRoom(waiting limit: Duration) async throws {
    let known = await session.machine
    if known.replica.cursor == nil || Self.devices(withoutRoomIn: known) != nil {
      _ = await session.wait(milliseconds: limit.milliseconds) {
        $0.heardPull > 0 || $0.replica.pause != nil || $0.pausedBecause != nil
      }
    }
    if let live = Self.devices(withoutRoomIn: await session.machine) {
      throw ActionError(
        Failure.zoneFull.code,
        "the zone '\(zone)' has \(live) devices, which is the limit; retire one that is no longer used: flowrun sync devices retire NAME"
      )
    }
  }

  /// The number of devices that take the places of a zone that has none for this one; nil: it has one, or needs none.
  private static func devices(withoutRoomIn machine: SyncMachine) -> Int? {
    let live = machine.liveDevices(atMilliseconds: SystemClock().nowMilliseconds())
    return live.count >= RecordLimits.devices && !live.contains(machine.replica.device) ? live.count : nil
  }

  /// Does something with a change that was parked; throws when there is none with that number.
  package func change(parked position: Int64, _ body: (SyncSession, Int64) async -> Void) async throws {
    guard await session.status().parked.contains(where: { $0.position == position }) else {
      throw ActionError(Failure.input.code, "no change with the number \(position) is parked; 'parked' lists them")
    }
    await body(session, position)
  }

  /// Takes a device's place in the zone from it, and gives its identity; throws when no device is called so.
  package func retire(_ name: String) async throws -> DeviceID {
    let device = try await session.machine.replica.device(named: name)
    try await session.retire(device)
    return device
  }

  /// Waits until the outbox is empty; throws what keeps it from becoming so.
  package func flush(timeout: Duration) async throws {
    let isDone = await session.wait(milliseconds: timeout.milliseconds) { machine in
      machine.isFlushed || machine.pausedBecause != nil
    }
    try await throwPause()
    let parked = await session.status().parked
    if let first = parked.first(where: { $0.key.type == ZoneRules.type }) ?? parked.first {
      throw await failure(parked: first.key, first.reason)
    }
    if !isDone { throw await timeoutFailure(timeout) }
  }

  /// Waits until it is known what has become of some acts, whatever happens to others; throws unless the server has them.
  package func settle(_ acts: [Int64], timeout: Duration) async throws {
    let isDone = await session.wait(milliseconds: timeout.milliseconds) { machine in
      machine.fate(of: acts) != .waiting || machine.pausedBecause != nil
    }
    switch await session.machine.fate(of: acts) {
    case .acknowledged: return
    case .parked(let key, let reason): throw await failure(parked: key, reason)
    case .waiting:
      try await throwPause()
      if !isDone { throw await timeoutFailure(timeout) }
    }
  }

  /// Fetches once and waits for the answer; throws what keeps it from coming.
  package func pull(timeout: Duration) async throws {
    // A fetch that is under way may have been answered before what is looked for was done. Of a connection that has heard
    // nothing yet the first answer counts all the same: it is not older than the connection.
    let begun = await session.machine.heardPull == 0 ? 0 : session.machine.begunPulls
    await session.foreground()
    let isDone = await session.wait(milliseconds: timeout.milliseconds) { machine in
      machine.heardPull > begun || machine.pausedBecause != nil
    }
    // What is parked has no part in what has been heard.
    try await throwPause()
    if !isDone { throw await timeoutFailure(timeout) }
  }

  private func throwPause() async throws {
    if let problem = await session.fileProblem { throw Failure.error(problem) }
    guard let reason = await session.machine.pausedBecause else { return }
    let code = if case .otherStore = reason { Failure.otherStore.code } else { Failure.paused.code }
    throw ActionError(code, "\(reason)")
  }

  /// Why a change is parked: by itself, or because the zone keeps other rules for its collection.
  private func failure(parked key: RecordKey, _ reason: String) async -> ActionError {
    let rules = await session.machine.replica.outbox.items(for: ZoneRules.key(of: key.type))
    if key.type == ZoneRules.type || rules.contains(where: { $0.parkedBecause == reason }) {
      return ActionError(Failure.schema.code, reason)
    }
    return ActionError(Failure.parked.code, "\(key) is parked: \(reason)")
  }

  private func timeoutFailure(_ timeout: Duration) async -> ActionError {
    let status = await session.status()
    let cause = status.pause.map { " (\($0.reason))" } ?? ""
    let count = status.outboxDepth
    let waiting =
      count == 0
      ? "nothing is waiting to be sent"
      : "\(count) \(count == 1 ? "change is" : "changes are") waiting in '\(file)' and will be sent when it answers"
    return ActionError(
      Failure.timeout.code, "the sync server did not answer within \(DurationText.format(timeout))\(cause); \(waiting)")
  }
}

extension Duration {
  /// Whole milliseconds.
  package var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
