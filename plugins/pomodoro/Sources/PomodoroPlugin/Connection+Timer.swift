import SyncCore
import SyncDevice
import SyncEngine
import SyncPomodoro

extension Connection {
  /// Sets the timer and adds to the number of completed pomodoros. The change has been saved when this returns.
  @discardableResult
  func set(_ state: TimerState, completed: Int64 = 0) async throws -> [Int64] {
    try await change(timer: state.edit(completing: completed))
  }

  /// Changes the record of the timer. The change has been saved when this returns.
  @discardableResult
  func change(timer edit: RecordEdit) async throws -> [Int64] {
    try await requireOwnStore()
    return try await session.act(Pomodoro.timer, .edit(edit))
  }

  /// Changes one setting. The change has been saved when this returns.
  func set(setting name: String, to value: String) async throws {
    try await requireOwnStore()
    try await session.act(Pomodoro.settings, .edit(RecordEdit(fields: [name: .set(Scalar.text(value).bytes)])))
  }

  /// Returns the timer as known to this device, or nil if it has never been set.
  func timer() async -> TimerStateRecord? {
    TimerStateRecord(await session.machine)
  }
}
