import FlowModel
import FlowPluginKit
import SyncDevice
import SyncPomodoro

/// The states of the timer, as written in a step.
enum StateWord: String, FieldWord {
  case idle, snooze, breakTime, focus
}

/// Sets the timer on this device. By default, waits until other devices can see the change (S14).
struct Push: AsyncAction {
  static let name = "pomodoro.push"
  static let summary = "Sets the timer and sends it to the other devices"
  static let requires: [HandleKey] = [.syncConnection]
  static let errors = [
    Failure.store, Failure.parked, Failure.paused, Failure.timeout, Failure.record, Failure.input, Failure.refused,
  ]
  static let example = """
    uses: pomodoro.push
    with: { state: focus, remaining: 25m }
    """

  struct Input: ActionInput {
    @Field("The state of the timer") var state: StateWord?
    @Field("The remaining time") var remaining: Duration = .zero
    @Field("Whether it is paused") var paused = false
    @Field("Pomodoros completed by this action") var completed = 0
    @Field("A whole CD_TimerState record instead of state, remaining, paused and completed") var record: ValueObject?
    @Field("Wait until the server has it; otherwise saving it here is enough") var wait = true
    @Field("How long to wait") var timeout: Duration = .seconds(10)
  }

  struct Output: ActionOutput {
    var acknowledged: Bool
    var waiting: Int

    static let summaries = [
      "acknowledged": "Whether the server has it", "waiting": "Changes waiting to be sent",
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    do {
      let acts =
        if let record = input.record {
          try await connection.change(timer: try TimerStateRecord(record).edit)
        } else {
          try await connection.set(try state(input), completed: Int64(input.completed))
        }
      if input.wait { try await connection.settle(acts, timeout: input.timeout) }
      return Output(
        acknowledged: await connection.isAcknowledged(acts), waiting: await connection.session.status().outboxDepth)
    } catch {
      throw Failure.error(error)
    }
  }

  private func state(_ input: Input) throws -> TimerState {
    guard let word = input.state, let kind = TimerKind(rawValue: word.rawValue) else {
      throw ActionError(Failure.input.code, "give either 'state' or 'record'")
    }
    let milliseconds = input.remaining.milliseconds
    guard milliseconds <= TimerState.longestMilliseconds else {
      throw ActionError(Failure.input.code, "'remaining' is \(input.remaining), a timer runs for at most 24h")
    }
    return TimerState(kind: kind, remainingMilliseconds: milliseconds, isPaused: input.paused)
  }
}
