import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// A command that has the terminal of flowrun while it runs: nothing of what it prints is read or recorded.
enum InteractiveCommand {
  static let noTerminal = "no-terminal"

  /// Runs the command to its end. Throws an ``ActionError`` `no-terminal` if flowrun has no terminal that it could lend.
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
            let group = try ProcessGroup(
              start.program, input: input, output: output, errors: errors, terminal: input, inner: start.inner)
            // A command that Ctrl-Z has stopped gets the signal once it continues.
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

/// The end of a command whose step is cancelled.
final class CommandStop: Sendable {
  private let isKilled = Atomic(false)

  /// Whether the command had to be killed.
  var wasNeeded: Bool { isKilled.load(ordering: .relaxed) }

  /// Asks the command to end when its step is cancelled, and kills it when its time is over.
  ///
  /// - Parameter continues: whether the command may be stopped and must continue to end.
  func stop(_ group: ProcessGroup, by policy: StopPolicy, continues: Bool = false, in context: ActionContext) {
    context.onCancel { [self] in end(group, by: policy, continues: continues, in: context) }
  }

  /// Asks the command to end now, and kills it when its time is over.
  func end(_ group: ProcessGroup, by policy: StopPolicy, continues: Bool = false, in context: ActionContext) {
    group.send(policy.signal.number)
    if continues { group.send(SIGCONT) }
    end(group, within: policy.within, after: .zero, in: context)
  }

  /// Kills the command when its time is over: that of the policy, or what runs of flowrun inside need if that is longer.
  private func end(_ group: ProcessGroup, within: Duration, after waited: Duration, in context: ActionContext) {
    let inner = Duration.milliseconds(group.innerTime)
    let time = max(within, inner)
    if inner > within {
      context.needsTimeToEnd(inner - waited)
      StopTime.extend(by: inner)
    }
    context.host.wake(after: time - waited) { [self] in
      // One may have begun meanwhile.
      if .milliseconds(group.innerTime) > time { return end(group, within: within, after: time, in: context) }
      guard group.status() == nil else { return group.send(SIGKILL) }
      isKilled.store(true, ordering: .relaxed)
      group.send(SIGKILL)
    }
  }
}
