import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// The output of a finished command if a process in another session still has the output open.
///
/// Its lines are logged until the run ends. Without a reader, SIGPIPE would end that process when it writes.
final class LateOutput: Sendable {
  private struct Pipes: ~Copyable {
    var output: CommandOutput
    var errors: CommandOutput
    var lines: OutputLines
  }

  /// The pipes. Nil after both have ended, and after the end of the run.
  private let pipes: Mutex<Pipes?>

  private init(_ output: consuming Descriptor, _ errors: consuming Descriptor, _ context: ActionContext) {
    // After the end of the command, its output is only logged and not kept.
    pipes = Mutex(
      Pipes(
        output: CommandOutput(output, limitBytes: 0), errors: CommandOutput(errors, limitBytes: 0),
        lines: OutputLines(context)))
  }

  private static let count = Atomic(0)

  /// Reads both outputs until they end or the run ends. An output whose descriptor has an invalid number has already
  /// ended.
  static func read(_ output: consuming Descriptor, _ errors: consuming Descriptor, in context: ActionContext) {
    let late = LateOutput(output, errors, context)
    guard LateReader.shared.add(late) else { return }
    // The run releases all handles of its steps when it ends, and thereby stops reading.
    let number = count.add(1, ordering: .relaxed).newValue
    context.provide(HandleKey("shell-output-\(number)"), late) { late.stop() }
  }

  /// Reads available data without waiting. Returns false once both outputs have ended.
  fileprivate func readAvailable() -> Bool {
    pipes.withLock { pipes in
      guard var open = pipes.take() else { return false }
      if open.lines.hasRoom {
        open.output.read(everything: true, as: .standardOutput, into: &open.lines)
        open.errors.read(everything: true, as: .standardError, into: &open.lines)
      }
      guard open.output.isOpen || open.errors.isOpen else {
        open.lines.finish()
        return false
      }
      pipes = consume open
      return true
    }
  }

  /// Reads the data that is available and closes the outputs. Called at the end of the run.
  private func stop() {
    _ = readAvailable()
    pipes.withLock { pipes in
      guard var open = pipes.take() else { return }
      open.lines.finish()
    }
  }
}

/// Reads all late outputs on one thread. The thread ends when all outputs have ended.
private final class LateReader: Sendable {
  static let shared = LateReader()

  private struct State {
    var outputs: [LateOutput] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  private static let lookMilliseconds: CInt = 20

  /// Adds an output to be read. Returns false if no thread can be started.
  func add(_ output: LateOutput) -> Bool {
    let mustStart = state.withLock { state in
      state.outputs.append(output)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard mustStart else { return true }
    do throws(SystemError) {
      try DetachedThread.start(name: "late output") { [self] in run() }
      return true
    } catch {
      state.withLock { $0 = State() }
      return false
    }
  }

  private func run() {
    while true {
      let outputs = state.withLock { $0.outputs }
      let ended = outputs.filter { !$0.readAvailable() }
      let isOver = state.withLock { state in
        state.outputs.removeAll { output in ended.contains { $0 === output } }
        if state.outputs.isEmpty { state.isRunning = false }
        return state.outputs.isEmpty
      }
      if isOver { return }
      _ = poll(nil, 0, Self.lookMilliseconds)
    }
  }
}
