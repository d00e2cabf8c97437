import SyncCore
import SyncRecords

/// The zone of a Pomodoro timer: what its records are called, and the schema that they are read by.
public enum Pomodoro {
  /// The zone's name (S10).
  public static let zone = "PomodoroZone"
  /// The timer's record: one fixed name, so that saving never makes a second (F10).
  public static let timer = RecordKey(type: "timers", name: "timer")
  /// The settings' record.
  public static let settings = RecordKey(type: "settings", name: "settings")

  /// How the timer's states are arbitrated.
  public static let decide = DecideRule(
    window: 5_000,
    prefer: .init(field: "state", order: ["focus", "breakTime", "snooze", "idle"]),
    smallest: .init(
      field: "remaining", ages: true, unless: "is-paused", when: .init(field: "state", order: ["focus", "breakTime"])))

  /// What names the rules of the timer's zone to one that has none, for anyone who commits without a device.
  public static func naming(atMilliseconds milliseconds: Int64) -> [RecordOperation] {
    schema.withDevices.collections.map { collection in
      let write = Write(
        dot: Dot(device: DeviceID(stem: "rules", random: 0), number: 1), milliseconds: milliseconds,
        fields: collection.rules.texts.map { .init(name: $0.key, value: Array($0.value.utf8)) })
      return RecordOperation(key: ZoneRules.key(of: collection.name), expectedVersion: 0, change: .write(write))
    }
  }

  /// The field that holds the completed pomodoros.
  static let completed = "completed"

  /// What counts one more of them, or some, without touching the state.
  public static func completing(_ more: Int64) -> RecordEdit { RecordEdit(fields: [completed: .raise(by: more)]) }

  /// What begins a new day, in which the count starts at 0 (F18).
  public static var newDay: RecordEdit {
    RecordEdit(fields: [completed: .inEpoch(Scalar.integer(0).bytes, begins: true)])
  }
}
