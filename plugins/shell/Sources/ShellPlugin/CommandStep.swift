import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// Runs the command of a step in stages: it creates files, starts the command, and reads its output and its named
/// outputs. Between stages, the step uses no thread.
final class CommandStep: Sendable {
  private let input: RunShell.Input
  private let context: ActionContext
  private let command: Command
  private let start: CommandStart
  private let limit: OutputLimit
  private let stop: StopPolicy
  private let outputs: NamedOutputs
  private let file: OutputFile?
  private let script: ScriptFile?
  private let state = Mutex(State())

  private struct State: ~Copyable {
    /// The command, or nil while it is not running.
    var running: RunningCommand?
    /// The command's number in the ``StartQueue``, or nil if it has not had to wait.
    var ticket: Int?
    /// True if the command has tried to start since it last waited in the queue.
    var hasTried = false
    /// The conditions under which the waiting command continues, or nil if it does not wait.
    var pause: CommandPause?
    /// The outcome of the command while the processes that it left behind are being ended.
    var ending: RunningCommand.Ending?
  }

  private let outcome = GroupOutcome()

  /// Writes the files that the command needs. Throws an ``ActionError`` if an input is invalid or a file cannot be
  /// written.
  init(_ input: RunShell.Input, in context: ActionContext) throws {
    self.input = input
    self.context = context
    var command = try Command(input.command, shell: input.shell, arguments: input.arguments)
    if let place = command.scriptArgument, let text = command.text {
      let script = try ScriptFile(text)
      command.arguments[place] = script.path
      self.script = consume script
    } else {
      script = nil
    }
    self.command = command
    outputs = try NamedOutputs(declaredBy: input.outputs)
    file = outputs.fields.isEmpty ? nil : try OutputFile()
    let inner = InnerRuns.begin()
    var variables = context.environment
    variables[InnerRuns.variable] = inner?.value
    let environment = try ChildEnvironment.make(
      variables, input.env, without: context.withheldVariables, outputs: file?.path,
      folders: input.path.map(\.path))
    start = try CommandStart(
      command, folder: input.cwd?.path ?? context.run.workflowFolder, environment: environment, inner: inner)
    do throws(OutputLimit.LimitProblem) { limit = try OutputLimit(input.outputLimit) } catch {
      throw ActionError("input", error.message, isRetryable: false)
    }
    do throws(StopPolicy.PolicyProblem) { stop = try StopPolicy(input.stop) } catch {
      throw ActionError("input", "stop: \(error.message)", isRetryable: false)
    }
  }

  /// Runs the command on this thread until it ends or must wait. If it must wait, returns nil, and the caller must call
  /// ``wait(_:)``.
  func advance(on thread: StepThread) throws -> RunShell.Output? {
    let mayWait = thread.isWanted != nil
    if input.interactive {
      // A command that owns the terminal needs a thread, because no descriptor reports that the command was suspended.
      // Other interactive commands wait without a thread.
      if mayWait, ForegroundTerminal.isAwaited, ReadinessWatch.shared.begin() {
        try context.checkCancellation()
        state.withLock { $0.pause = CommandPause(files: [], time: InteractiveCommand.lookTime) }
        return nil
      }
      return try output(of: try InteractiveCommand.run(start, stop, in: context))
    }
    let ending = try state.withLock { state -> RunningCommand.Ending? in
      if let ending = state.ending { return withRest(ending) }
      if state.running == nil, try !begin(&state, on: thread) { return nil }
      if let pause = state.running?.read(on: thread) {
        state.pause = pause
        return nil
      }
      state.pause = nil
      let done: @Sendable (ProcessGroup.Ending) -> Void = { [outcome] in outcome.set($0) }
      guard let (ending, isCalled) = state.running.take()?.end(restDone: mayWait ? done : nil) else { return nil }
      if !isCalled { return ending }
      state.ending = ending
      return withRest(ending)
    }
    guard let ending else { return nil }
    // The command's descriptors and files have been released, so a waiting command may be able to start.
    StartQueue.shared.noteEnd()
    return try output(of: ending)
  }

  /// Calls `resume` once, when the command is able to continue.
  func wait(_ resume: @escaping @Sendable () -> Void) {
    if state.withLock({ $0.ending != nil }) { return outcome.wait(resume) }
    let (ticket, pause) = state.withLock { ($0.ticket, $0.pause) }
    if let pause { return ReadinessWatch.shared.wait(for: pause.files, within: pause.time, resume) }
    guard let ticket else { return resume() }
    StartQueue.shared.add(ticket, isFirst: state.withLock { $0.hasTried }, resume)
    // The step may have been cancelled before the ticket was stored.
    if context.isCancelled { StartQueue.shared.release(ticket) }
  }

  /// Returns the outcome completed with that of the process group. Returns nil while processes that the command left
  /// behind are being ended.
  private func withRest(_ ending: RunningCommand.Ending) -> RunningCommand.Ending? {
    guard let group = outcome.ending else { return nil }
    var ending = ending
    ending.group = group
    return ending
  }

  /// Starts the command. Returns false if it must wait for other commands to release descriptors or processes.
  private func begin(_ state: inout State, on thread: StepThread) throws -> Bool {
    let queue = StartQueue.shared
    let mayWait = thread.isWanted != nil
    var patience = Patience()
    while true {
      try context.checkCancellation()
      // Commands that are already waiting start first.
      if mayWait, state.ticket == nil, queue.hasWaiting, ReadinessWatch.shared.begin() {
        state.hasTried = false
        return takeTicket(&state)
      }
      do throws(SystemError) {
        state.running = try RunningCommand(
          start, outputLimitBytes: limit.bytes, mergesOutput: input.mergeOutput, stop, in: context)
        if state.ticket != nil { queue.noteStart() }
        return true
      } catch {
        if mayWait, ReadinessWatch.shared.begin() {
          guard queue.allows(error, in: context) else { throw start.explain(error) }
          state.hasTried = true
          return takeTicket(&state)
        }
        guard patience.allows(error) else { throw start.explain(error) }
      }
    }
  }

  private func takeTicket(_ state: inout State) -> Bool {
    if state.ticket == nil {
      let ticket = StartQueue.shared.newTicket()
      state.ticket = ticket
      context.onCancel { StartQueue.shared.release(ticket) }
    }
    return false
  }

  private func output(of ending: RunningCommand.Ending) throws -> RunShell.Output {
    if ending.wasKilled {
      context.log(
        "'\(command.description)' had not ended \(DurationText.format(stop.within)) after SIG\(stop.signal.rawValue) and was "
          + "killed", level: .warning)
    }
    try context.checkCancellation()
    if ending.group.leftBehind {
      context.log(
        "ended what '\(command.description)' had left running; a command that is to keep running has 'service: true'",
        level: .warning)
    }
    var output = try RunShell.output(of: ending, command, successStatuses: input.successStatuses)
    guard let file else { return output }
    let bytes = try file.contents()
    do throws(NamedOutputs.OutputProblem) { output.named = try outputs.values(in: bytes) } catch { throw error.error }
    return output
  }
}
