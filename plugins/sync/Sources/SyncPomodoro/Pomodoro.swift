import SyncCore
import SyncRecords

/// The names of a Pomodoro timer's zone and records, and their schema.
public enum Pomodoro {
  /// The zone's name (S10).
  public static let zone = "PomodoroZone"
  /// The key of the timer's record. It is fixed, so that saving never creates a second record (F10).
  public static let timer = RecordKey(type: "timers", name: "timer")
  package static let settings = RecordKey(type: "settings", name: "settings")

  /// The rule for concurrent states of the timer.
  package static let decide = DecideRule(
    window: 5_000,
    prefer: .init(field: "state", order: ["focus", "breakTime", "snooze", "idle"]),
    smallest: .init(
      field: "remaining", ages: true, unless: "is-paused", when: .init(field: "state", order: ["focus", "breakTime"])))

  /// Returns operations that declare the rules of the timer's zone, for programs that commit without a device.
  package static func naming(atMilliseconds milliseconds: Int64) -> [RecordOperation] {
    schema.withDevices.collections.map { collection in
      let write = Write(
        dot: Dot(device: DeviceID(stem: "rules", random: 0), number: 1), milliseconds: milliseconds,
        fields: collection.rules.texts.map { .init(name: $0.key, value: Array($0.value.utf8)) })
      return RecordOperation(key: ZoneRules.key(of: collection.name), expectedVersion: 0, change: .write(write))
    }
  }

  /// The name of the field that counts completed pomodoros.
  static let completed = "completed"

  /// Returns an edit that increases the number of completed pomodoros and leaves the state unchanged.
  package static func completing(_ more: Int64) -> RecordEdit { RecordEdit(fields: [completed: .raise(by: more)]) }

  /// An edit that starts a new day, with 0 completed pomodoros (F18).
  package static var newDay: RecordEdit {
    RecordEdit(fields: [completed: .inEpoch(Scalar.integer(0).bytes, begins: true)])
  }
}
