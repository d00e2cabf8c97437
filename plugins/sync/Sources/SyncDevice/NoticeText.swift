import SyncCore
import SyncEngine
import SyncPomodoro
import SyncRecords

/// Formats notices as lines for the user.
package enum NoticeText {
  /// Returns the line for a notice on a device with this schema, or nil for notices that only programs need.
  package static func line(_ notice: SyncMachine.Notice, _ machine: SyncMachine, _ schema: RecordSchema) -> String? {
    switch notice {
    case .changed(let key, let isRemote, _) where key.type == DeviceInfo.collection:
      guard isRemote, let info = DeviceInfo(cell: machine.view(of: key)) else { return nil }
      return "device \(key.name) is here: \(info.deviceName), \(info.platform), version \(info.appVersion)"
    // Records that do not belong to the timer are reported by `sync.watch`.
    case .changed(let key, _, _) where schema.name != Pomodoro.schema.name || key.type == ZoneRules.type: return nil
    case .changed(let key, let isRemote, let rule):
      let decided = rule.map { ", decided by \($0.rawValue)" } ?? ""
      let origin = isRemote ? "" : " (here)"
      return "\(reading(key, machine))\(origin)\(isRemote ? decided : "")"
    case .parked(let key, let reason): return "parked: \(key): \(reason); 'parked' lists it"
    case .notShown(let key, let reason): return "not shown: a part of \(key): \(reason); the rest of it is"
    case .paused(let error): return "paused: \(error); your changes are kept and sent later"
    case .failed(let error): return "not sent yet: \(error)"
    case .level(let level): return "service is \(level.word)"
    case .channel(let isUp):
      return isUp ? "live updates are on" : "live updates are off; changes of other devices arrive later"
    case .renamed(let device):
      return "this device's file is an older copy, or in use elsewhere too; it continues as \(device)"
    case .discarded(let key): return "discarded: a change of \(key)"
    case .stale(let until):
      let seconds = max(1, (until - SystemClock().nowMilliseconds() + 999) / 1000)
      return "changes of other devices are seen again in \(seconds) s: this hour's requests are used up"
    case .acknowledged, .synchronizing, .recordChanged: return nil
    }
  }

  package static func waiting(_ count: Int, _ place: String) -> String {
    "\(count) \(count == 1 ? "change" : "changes") \(place) \(count == 1 ? "waits" : "wait")"
  }

  /// Returns the current content of a record as text: the state of the timer, or the `newest` text fields of another
  /// record.
  package static func reading(_ key: RecordKey, _ machine: SyncMachine) -> String {
    let cell = machine.view(of: key)
    if key == Pomodoro.timer {
      guard let record = TimerStateRecord(machine) else { return "no timer" }
      let by = record.deviceID == machine.replica.device.name ? "" : ", set by \(record.deviceID)"
      let now = SystemClock().nowMilliseconds() + machine.replica.skewMilliseconds
      let state = left(of: record.state, setAtMilliseconds: record.timestamp, atMilliseconds: now)
      return "\(text(state)), \(record.completedPomodoros) completed\(by)"
    }
    let fields = cell.fields.compactMap { field in
      if case .text(let text)? = Scalar(bytes: field.value) { "\(field.name) = \(text)" } else { nil }
    }
    return "\(key.name): \(fields.joined(separator: ", "))"
  }

  /// Returns a state with the time left at `now`, rounded up to full seconds. It is never more than the state's own
  /// value, even if the clock of its author is ahead.
  package static func left(
    of state: TimerState, setAtMilliseconds set: Int64, atMilliseconds now: Int64
  ) -> TimerState {
    var state = state
    let remaining = max(0, state.remaining(setAtMilliseconds: set, atMilliseconds: max(set, now)))
    let seconds = remaining / 1000 + (remaining % 1000 == 0 ? 0 : 1)
    state.remainingMilliseconds = min(seconds, .max / 1000) * 1000
    return state
  }

  package static func text(_ state: TimerState) -> String {
    guard state.kind.runsDown else { return state.kind.rawValue }
    let seconds = max(0, state.remainingMilliseconds) / 1000
    let padded = seconds % 60 < 10 ? "0\(seconds % 60)" : "\(seconds % 60)"
    return "\(state.kind.rawValue) \(seconds / 60):\(padded)\(state.isPaused ? " paused" : "")"
  }
}
