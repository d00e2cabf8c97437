import FlowModel
import FlowPluginKit
import SyncDevice
import SyncEngine
import SyncPomodoro

/// A timer in the terminal. It reads one command per line from standard input and shows every change immediately.
///
/// The step ends at the end of the input, so commands can also be piped from a script.
struct Timer: AsyncAction {
  static let name = "pomodoro.timer"
  static let summary = "A timer to use by hand: reads one command per line and shows every change at once"
  static let requires: [HandleKey] = [.syncConnection]
  static let errors = [Failure.store]
  static let example = """
    uses: pomodoro.timer
    needs: connect
    """

  struct Input: ActionInput {
    @Field("Print the time that is left every second while the timer runs") var watch = false
    @Field("How long to wait at the end until everything has been sent") var timeout: Duration = .seconds(5)
  }

  struct Output: ActionOutput {
    var commands: Int
    var rejected: Int
    var waiting: Int
    var timer: ValueObject?

    static let summaries = [
      "commands": "Commands carried out", "rejected": "Unrecognized lines",
      "waiting": "Changes that could not be sent yet", "timer": "The timer at the end",
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    let console = TimerConsole(connection: connection) { context.log($0) }
    let watching = input.watch ? Task { try await Self.watch(console, context) } : nil
    defer { watching?.cancel() }
    return try await console.run(lines: InputLines.standardInput(), timeout: input.timeout)
  }

  /// Shows the remaining time every second while the timer is running.
  private static func watch(_ console: TimerConsole, _ context: ActionContext) async throws {
    var last: String?
    while true {
      try await context.sleep(for: .seconds(1))
      let line = await console.running()
      if let line, line != last { console.show(line) }
      last = line
    }
  }
}
