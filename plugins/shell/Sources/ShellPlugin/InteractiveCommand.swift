import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// Runs a command that uses flowrun's terminal. The output is neither read nor logged.
enum InteractiveCommand {
  static let noTerminal = "no-terminal"
  /// The interval at which the terminal is checked.
  static let lookTime = Duration.milliseconds(20)

  /// Runs the command until it ends. Throws an ``ActionError`` with the code `no-terminal` if flowrun has no terminal.
  static func run(_ start: CommandStart, _ stop: StopPolicy, in context: ActionContext) throws -> RunningCommand.Ending
  {
    let kill = CommandStop()
    let group = try ForegroundTerminal.lend(
      to: context.stepID.text, checkCancellation: { try context.checkCancellation() },
      start: { input, output, errors in
        var patience = Patience()
        while true {
          try context.checkCancellation()
          do throws(SystemError) {
            let group = try start.group(input: input, output: output, errors: errors, terminal: input)
            // A command suspended with Ctrl-Z receives the signal only when it is continued.
            kill.stop(group, by: stop, continues: true, in: context)
            return group
          } catch {
            guard patience.allows(error) else { throw start.explain(error) }
          }
        }
      })
    guard let group else {
      throw ActionError(
        noTerminal,
        "the command needs a terminal for its input and output, and flowrun has none that it could lend: it is in a pipe or in "
          + "the background, or was started with --json, with --watch, by 'flowrun ui' or with CI set",
        isRetryable: false)
    }
    return RunningCommand.Ending(
      group: group.collect(withSession: context.isCancelled), output: "", errors: "", lastLines: LastLines(),
      wasKilled: kill.wasNeeded)
  }
}

/// Ends the command of a step that is cancelled.
final class CommandStop: Sendable {
  private let isKilled = Atomic(false)

  /// True if the command had to be killed because it did not end in time.
  var wasNeeded: Bool { isKilled.load(ordering: .relaxed) }

  /// Registers for cancellation of the step. The command is then asked to end, and killed after the grace period.
  ///
  /// - Parameter continues: true if the command may be suspended, in which case it must be continued to end.
  func stop(_ group: ProcessGroup, by policy: StopPolicy, continues: Bool = false, in context: ActionContext) {
    context.onCancel { [self] in end(group, by: policy, continues: continues, in: context) }
  }

  func end(_ group: ProcessGroup, by policy: StopPolicy, continues: Bool = false, in context: ActionContext) {
    group.send(policy.signal.number)
    if continues { group.send(SIGCONT) }
    end(group, within: policy.within, after: .zero, in: context)
  }

  /// Kills the command after the grace period. If nested flowrun runs need more time, the period is extended.
  private func end(_ group: ProcessGroup, within: Duration, after waited: Duration, in context: ActionContext) {
    let inner = Duration.milliseconds(group.innerTime)
    let time = max(within, inner)
    if inner > within {
      context.needsTimeToEnd(inner - waited)
      StopTime.extend(by: inner)
    }
    context.host.wake(after: time - waited) { [self] in
      // Another nested run may have started since.
      if .milliseconds(group.innerTime) > time { return end(group, within: within, after: time, in: context) }
      guard group.status() == nil else { return group.send(SIGKILL) }
      isKilled.store(true, ordering: .relaxed)
      group.send(SIGKILL)
    }
  }
}
