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
      PomodoroPolicy.timer, .init(payload: state?.payload, tally: .add(completed)))
  }

  /// Begins a new day: the count starts at 0.
  func resetCount() async throws { try await session.act(PomodoroPolicy.timer, .init(tally: .reset)) }

  /// Changes one setting.
  func set(setting name: String, to value: String) async throws {
    try await session.act(
      PomodoroPolicy.settings, .init(fields: [.init(name: name, value: Array(value.utf8))]))
  }

  /// The timer as it stands here.
  func timer() async -> TimerStateRecord? {
    TimerStateRecord(cell: await session.machine.view(of: PomodoroPolicy.timer))
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
    let before = await session.machine.completedPulls
    await session.foreground()
    let isDone = await session.wait(milliseconds: timeout.milliseconds) { machine in
      machine.completedPulls > before || machine.pausedBecause != nil
    }
    try await throwTrouble(isDone)
  }

  private func throwTrouble(_ isDone: Bool) async throws {
    let status = await session.status()
    if let reason = status.pausedBecause { throw ActionError(Failure.paused.code, "\(reason)") }
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
