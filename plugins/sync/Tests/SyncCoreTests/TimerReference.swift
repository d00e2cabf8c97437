import SyncCore
import SyncPomodoro

/// The rules of the timer written out by hand (S18–S26, M5, M6), which its schema is held to.
struct TimerReference: MergePolicy {
  private static let recordTypes = [Pomodoro.timer.type, Pomodoro.settings.type, Pomodoro.deviceInfoType]
  private static let platforms = ["macOS", "iOS", "linux"]

  /// Five seconds, the ends included (S18, C13).
  let windowMilliseconds: Int64 = 5000

  /// Focus before break before snooze before idle; of two that run down, the one with less left at one instant.
  func standing(of entry: Entry, atMilliseconds reference: Int64) -> Standing {
    guard let state = try? TimerState(payload: entry.payload) else { return Standing(priority: -1) }
    guard state.kind.runsDown else { return Standing(priority: state.kind.priority) }
    return Standing(
      priority: state.kind.priority,
      remainingMilliseconds: state.remaining(setAtMilliseconds: entry.milliseconds, atMilliseconds: reference))
  }

  /// What keeps a write from being a timer's state, settings or a device's description.
  func problem(with write: Write, for key: RecordKey) -> String? {
    switch key.type {
    case Pomodoro.timer.type: problemWithTimer(write, key)
    case Pomodoro.settings.type:
      key == Pomodoro.settings
        ? problemWithFields(write) : "the record '\(key)' is not in the zone; did you mean 'settings'?"
    case Pomodoro.deviceInfoType: problemWithDevice(write, key)
    default:
      "the zone has no record type '\(key.type)'; it has \(Self.recordTypes.joined(separator: ", "))"
    }
  }

  /// What keeps a cell that is given back from being the record it is given back as: each of its parts is held to what a
  /// write of it is held to.
  func problem(with cell: Cell, for key: RecordKey) -> String? {
    for entry in cell.entries {
      let write = Write(dot: entry.dot, milliseconds: entry.milliseconds, payload: entry.payload)
      if let problem = problem(with: write, for: key) { return problem }
    }
    if cell.tally != Tally(), key.type != Pomodoro.timer.type {
      return "the record '\(key)' holds a count; only timers do"
    }
    if cell.entries.isEmpty, cell.fields.isEmpty {
      let author = DeviceID(key.name) ?? DeviceID(stem: "device", random: 0)
      let write = Write(
        dot: Dot(device: author, number: 1), milliseconds: 0, tally: cell.tally,
        fields: key.type == Pomodoro.timer.type ? [] : [.init(name: "lastSeen", value: [])])
      return problem(with: write, for: key)
    }
    for field in cell.fields {
      let write = Write(
        dot: Dot(device: field.stamp.device, number: 1), milliseconds: 0,
        fields: [.init(name: field.name, value: field.value)])
      if let problem = problem(with: write, for: key) { return problem }
    }
    return nil
  }

  private func problemWithTimer(_ write: Write, _ key: RecordKey) -> String? {
    guard key == Pomodoro.timer else { return "the record '\(key)' is not in the zone; did you mean 'timer'?" }
    if !write.fields.isEmpty { return "a timer's write holds fields; only a state and a count are allowed" }
    if write.tally.count < 0 || write.tally.epoch < 0 { return "completedPomodoros is negative" }
    guard let payload = write.payload else { return nil }
    do {
      _ = try TimerState(payload: payload)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func problemWithFields(_ write: Write) -> String? {
    if write.payload != nil { return "a settings write holds a state; only fields are allowed" }
    return write.fields.isEmpty ? "a settings write holds no field" : nil
  }

  private func problemWithDevice(_ write: Write, _ key: RecordKey) -> String? {
    guard key.name == write.dot.device.name else {
      return "the device '\(write.dot.device)' may only describe itself, not '\(key.name)' (one writer a record)"
    }
    if let platform = write.fields.first(where: { $0.name == "platform" }) {
      let name = String(decoding: platform.value, as: UTF8.self)
      if !Self.platforms.contains(name) {
        return "platform is '\(name)', allowed are \(Self.platforms.joined(separator: ", "))"
      }
    }
    return problemWithFields(write)
  }
}
