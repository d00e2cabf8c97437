import FlowPluginKit
import SyncCore
import SyncEngine
import SyncPomodoro

extension Connection {
  /// Tells the other devices of this one, when what they know is missing, different or old (S8, M10).
  func announce(name: String, version: String) async throws {
    let machine = await session.machine
    let key = DeviceInfo.key(of: machine.replica.device)
    let now = SystemClock().nowMilliseconds() + machine.replica.skewMilliseconds
    let info = DeviceInfo(
      deviceName: name, platform: DeviceInfo.thisPlatform, appVersion: version, lastSeen: now)
    guard let renewed = info.renewing(DeviceInfo(cell: machine.view(of: key))) else { return }
    do {
      try await session.act(key, .init(fields: renewed.fields))
    } catch {
      throw Failure.error(error)
    }
  }

  /// Sets the timer and adds to the count; saved when this returns.
  func set(_ state: TimerState?, completed: Int64 = 0) async throws {
    try await session.act(
      Pomodoro.timer, .init(payload: state?.payload, tally: .add(completed)))
  }

  /// Sets the timer as a record says, its count included: a count that is higher already stays (S19).
  func set(_ record: TimerStateRecord) async throws {
    try await session.act(
      Pomodoro.timer, .init(payload: record.state.payload, tally: .atLeast(record.completedPomodoros)))
  }

  /// Throws when the zone has no place for this device, as far as that is known: one that has never synchronized, or that
  /// found no place last time, waits a little to hear.
  func checkRoom(waiting limit: Duration) async throws {
    let known = await session.machine
    if known.replica.cursor == nil || Self.devices(withoutRoomIn: known) != nil {
      _ = await session.wait(milliseconds: limit.milliseconds) {
        $0.heardPull > 0 || $0.replica.pause != nil || $0.pausedBecause != nil
      }
    }
    if let live = Self.devices(withoutRoomIn: await session.machine) {
      throw ActionError(
        Failure.zoneFull.code,
        "the zone '\(zone)' has \(live) devices, which is the most; retire one that is no longer used: flowrun sync devices retire NAME"
      )
    }
  }

  /// How many devices take the places of a zone that has none for this one; nil: it has one, or needs none.
  private static func devices(withoutRoomIn machine: SyncMachine) -> Int? {
    let live = machine.liveDevices(atMilliseconds: SystemClock().nowMilliseconds())
    return live.count >= RecordLimits.devices && !live.contains(machine.replica.device) ? live.count : nil
  }

  /// Begins a new day: the count starts at 0.
  func resetCount() async throws { try await session.act(Pomodoro.timer, .init(tally: .reset)) }

  /// Changes one setting.
  func set(setting name: String, to value: String) async throws {
    try await session.act(
      Pomodoro.settings, .init(fields: [.init(name: name, value: Array(value.utf8))]))
  }

  /// Does something with a change that was set aside; throws when there is none with that number.
  func change(parked position: Int64, _ body: (SyncSession, Int64) async -> Void) async throws {
    guard await session.status().parked.contains(where: { $0.position == position }) else {
      throw ActionError(Failure.input.code, "no change with the number \(position) is set aside; 'parked' lists them")
    }
    await body(session, position)
  }

  /// Takes a device's place in the zone from it, and gives its identity; throws when no device is called so.
  func retire(_ name: String) async throws -> DeviceID {
    let device = try await session.machine.replica.device(named: name)
    try await session.retire(device)
    return device
  }

  /// The timer as it stands here.
  func timer() async -> TimerStateRecord? {
    TimerStateRecord(await session.machine)
  }

  /// Waits until the outbox is empty; throws what keeps it from becoming so.
  func flush(timeout: Duration) async throws {
    let isDone = await session.wait(milliseconds: timeout.milliseconds) { machine in
      machine.isFlushed || machine.pausedBecause != nil
    }
    try await throwTrouble(isDone)
  }

  /// Fetches once and waits for the answer; throws what keeps it from coming.
  func pull(timeout: Duration) async throws {
    // A fetch that is under way may have been answered before what is looked for was done. Of a connection that has heard
    // nothing yet the first answer counts all the same: it is no older than the connection.
    let begun = await session.machine.heardPull == 0 ? 0 : session.machine.begunPulls
    await session.foreground()
    let isDone = await session.wait(milliseconds: timeout.milliseconds) { machine in
      machine.heardPull > begun || machine.pausedBecause != nil
    }
    // What was set aside has no part in what has been heard.
    if isDone, await session.machine.pausedBecause == nil { return }
    try await throwTrouble(isDone)
  }

  private func throwTrouble(_ isDone: Bool) async throws {
    let status = await session.status()
    if let reason = status.pausedBecause { throw ActionError(Failure.paused.code, "\(reason)") }
    if let rules = status.parked.first(where: { $0.key.type == ZoneRules.type }) {
      throw ActionError(Failure.schema.code, rules.reason)
    }
    if let parked = status.parked.first {
      throw ActionError(Failure.parked.code, "\(parked.key) was set aside: \(parked.reason)")
    }
    if !isDone {
      throw ActionError(
        Failure.timeout.code,
        "no answer in time\(status.pause.map { " (\($0.reason))" } ?? ""); \(NoticeText.waiting(status.outboxDepth, "in '\(file)'")) and what waits is sent when it answers again"
      )
    }
  }
}

extension Duration {
  /// Whole milliseconds.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
