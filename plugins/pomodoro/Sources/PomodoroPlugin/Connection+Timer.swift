import SyncCore
import SyncDevice
import SyncEngine
import SyncPomodoro

extension Connection {
  /// Sets the timer and increments the count; both are saved when this returns.
  @discardableResult
  func set(_ state: TimerState, completed: Int64 = 0) async throws -> [Int64] {
    try await change(timer: state.edit(completing: completed))
  }

  /// Changes the timer's record; it is saved when this returns.
  @discardableResult
  func change(timer edit: RecordEdit) async throws -> [Int64] {
    try await requireOwnStore()
    return try await session.act(Pomodoro.timer, .edit(edit))
  }

  /// Changes one setting.
  func set(setting name: String, to value: String) async throws {
    try await requireOwnStore()
    try await session.act(Pomodoro.settings, .edit(RecordEdit(fields: [name: .set(Scalar.text(value).bytes)])))
  }

  /// The timer on this device.
  func timer() async -> TimerStateRecord? {
    TimerStateRecord(await session.machine)
  }
}
