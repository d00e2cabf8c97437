import SyncCore
import SyncRecords

extension Pomodoro {
  /// The schema in `workflows/pomodoro.sync.yaml`, which `sync.connect` uses by default.
  public static let schema = RecordSchema(
    name: "pomodoro", version: 1, budget: RequestBudget.Limits(requestsPerHour: 100, bytesPerDay: 1_000_000),
    collections: [
      .init(
        name: timer.type, delete: .editWins, decide: decide, keys: [timer.name],
        fields: [
          .init(
            name: "state", rule: FieldRule(type: .string, merge: .whole),
            choices: ["focus", "breakTime", "snooze", "idle"]),
          .init(name: "remaining", rule: FieldRule(type: .duration, merge: .whole)),
          .init(name: "is-paused", rule: FieldRule(type: .boolean, merge: .whole)),
          .init(name: "other-data", rule: FieldRule(type: .string, merge: .whole)),
          .init(name: completed, rule: completedRule),
        ]),
      .init(name: settings.type, delete: .editWins, keys: [settings.name], hasOtherFields: true, fields: []),
    ])

  private static var completedRule: FieldRule {
    var rule = FieldRule(type: .integer, merge: .largest)
    rule.hasEpochs = true
    return rule
  }
}
