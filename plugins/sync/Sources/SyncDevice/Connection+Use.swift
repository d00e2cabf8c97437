import FlowModel
import FlowPluginKit
import SyncCore
import SyncEngine

extension Connection {
  /// Writes this device's description to the zone if it is missing, different or outdated (S8, M10).
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

  /// The number of unsent changes made by workflows. The device's own description and its schema's rules are not
  /// counted, because each run updates them.
  package var waitingChanges: Int {
    get async {
      await session.machine.replica.outbox.waiting.count {
        $0.key.type != DeviceInfo.collection && $0.key.type != ZoneRules.type
      }
    }
  }

  /// Throws if the zone is known to have no room for this device. A device that has never synchronized, or that found
  /// no room last time, waits up to `limit` for a response.
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

  /// Returns the number of devices if the zone is full and this device is not one of them. Otherwise returns nil.
  private static func devices(withoutRoomIn machine: SyncMachine) -> Int? {
    let live = machine.liveDevices(atMilliseconds: SystemClock().nowMilliseconds())
    return live.count >= RecordLimits.devices && !live.contains(machine.replica.device) ? live.count : nil
  }

  /// Calls `body` with a parked change. Throws if no parked change has this number.
  package func change(parked position: Int64, _ body: (SyncSession, Int64) async -> Void) async throws {
    guard await session.status().parked.contains(where: { $0.position == position }) else {
      throw ActionError(Failure.input.code, "no change with the number \(position) is parked; 'parked' lists them")
    }
    await body(session, position)
  }

  /// Retires the device with this name in the zone and returns its identity. Throws if there is no such device.
  package func retire(_ name: String) async throws -> DeviceID {
    let device = try await session.machine.replica.device(named: name)
    try await session.retire(device)
    return device
  }

  /// Waits until the outbox is empty. Throws the reason if synchronization is paused, a change is parked, or the outbox
  /// cannot be emptied in time.
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

  /// Waits until these actions are acknowledged, regardless of others. Throws if one of them is parked, or if it is
  /// still waiting after `timeout` or when synchronization is paused.
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

  /// Fetches the latest changes. Throws the reason if that fails or takes longer than `timeout`.
  package func pull(timeout: Duration) async throws {
    // The response to a fetch that is already running may be older than the change that the caller expects. On a new
    // connection, the first response counts anyway, because it is not older than the connection.
    let begun = await session.machine.heardPull == 0 ? 0 : session.machine.begunPulls
    await session.foreground()
    let isDone = await session.wait(milliseconds: timeout.milliseconds) { machine in
      machine.heardPull > begun || machine.pausedBecause != nil
    }
    // Parked changes do not matter here, because they do not affect the fetched data.
    try await throwPause()
    if !isDone { throw await timeoutFailure(timeout) }
  }

  /// Throws if another store has responded since the connection was opened. This device's data may then belong to
  /// another person, so it is neither shown nor changed.
  package func requireOwnStore() async throws { try await records.requireOwnStore() }

  private func throwPause() async throws {
    if let problem = await session.fileProblem { throw Failure.error(problem) }
    guard let reason = await session.machine.pausedBecause else { return }
    try await requireOwnStore()
    throw ActionError(Failure.paused.code, "\(reason)")
  }

  /// Returns the error for a parked change. Its code is `schema` if the change was parked because the zone refused the
  /// collection's rules.
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
  package var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
