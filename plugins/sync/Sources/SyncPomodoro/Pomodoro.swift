import SyncCore
import SyncRecords

/// The zone of a Pomodoro timer: what its records are called in zones, and the schema that they are read by.
///
/// Zones and files that are older than schemas are read by it too.
public enum Pomodoro {
  /// The zone's name (S10).
  public static let zone = "PomodoroZone"
  /// The timer's record: one fixed name, so that saving never makes a second (F10).
  public static let timer = RecordKey(type: StoredType.timerState.rawValue, name: "timer")
  /// The settings' record.
  public static let settings = RecordKey(type: StoredType.settings.rawValue, name: "settings")
  /// The record type of devices; each device's record bears the device's id (S8).
  public static let deviceInfoType = StoredType.deviceInfo.rawValue

  /// The schema of the timer, `pomodoro.sync.yaml`.
  public static let schema: RecordSchema = {
    let file = SchemaFile(bytes: Array(schemaText.utf8), file: "pomodoro.sync.yaml")
    // The text is a constant, and a test reads it.
    guard let schema = file.schema else { fatalError(file.rendered()) }
    return schema
  }()

  /// How its records are arbitrated and checked.
  public static let policy = StoredPolicy(schema)
}
