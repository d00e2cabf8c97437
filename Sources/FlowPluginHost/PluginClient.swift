import FlowModel
import FlowPluginKit
import FlowSyntax
import FlowSystem
import Synchronization

/// One installed plugin as its callers see it: a program that is started at the first call and again after it ended.
final class PluginClient: Sendable {
  let plugin: InstalledPlugin
  let limits: PluginLimits
  private let cache: ProgramCache
  private let state = Mutex(State.idle)

  private typealias Start = Result<PluginSession, ActionError>

  private enum State {
    case idle
    case starting([OneShot<Start?>])
    case running(PluginSession)
    case closed
  }

  init(_ plugin: InstalledPlugin, limits: PluginLimits, cache: ProgramCache) {
    self.plugin = plugin
    self.limits = limits
    self.cache = cache
  }

  deinit { if case .running(let session) = state.withLock({ $0 }) { session.requestStop() } }

  /// Runs one attempt of a step.
  func run(_ action: CallableAction, _ inputs: ValueObject, _ context: ActionContext) async throws -> ValueObject {
    let inputs = try action.completed(inputs)
    for _ in 0..<limits.handovers {
      try Task.checkCancellation()
      let session = if let running { running } else { try await session() }
      switch await session.run(action, inputs, context) {
      case .answered(let value): return try outputs(of: action, in: value)
      case .refused(let failure):
        try Task.checkCancellation()
        throw action.error(failure)
      case .failed(let error), .lost(let error): throw error
      case .unread: forget(session)
      }
    }
    throw ActionError(
      "plugin-exited",
      "the program of the plugin '\(plugin.name)' ended \(limits.handovers) times without reading the call")
  }

  private func outputs(of action: CallableAction, in value: Value) throws(ActionError) -> ValueObject {
    guard let result = value.objectValue, let outputs = result["outputs"] else {
      throw ActionError(
        "plugin-output", "'\(action.declaration.name)' answered \(value.shortText), not an object with 'outputs'",
        isRetryable: false)
    }
    return try action.checkedOutputs(outputs)
  }

  // MARK: The program

  /// Why its program cannot be started; nil when it runs.
  func startProblem() async -> ActionError? {
    do {
      _ = try await session()
      return nil
    } catch {
      return error as? ActionError ?? ActionError("plugin-start", "\(error)", isRetryable: false)
    }
  }

  /// The program that serves calls now, mostly there.
  private var running: PluginSession? {
    state.withLock { if case .running(let session) = $0, session.isOpen { session } else { nil } }
  }

  private func session() async throws -> PluginSession {
    switch state.withLock({ next(&$0) }) {
    case .ready(let session): return session
    case .closed: throw closedError
    case .wait(let start, isFirst: let isFirst):
      // The start continues for the others when the step that caused it is cancelled.
      if isFirst { Task.detached { await self.start() } }
      let result = await withTaskCancellationHandler {
        await start.wait()
      } onCancel: {
        start.finish(nil)
      }
      guard let result else { throw CancellationError() }
      return try result.get()
    }
  }

  private enum Next {
    case ready(PluginSession), closed
    case wait(OneShot<Start?>, isFirst: Bool)
  }

  private func next(_ state: inout State) -> Next {
    switch state {
    case .running(let session) where session.isOpen: return .ready(session)
    case .closed: return .closed
    case .starting(let waiters):
      let start = OneShot<Start?>()
      state = .starting(waiters + [start])
      return .wait(start, isFirst: false)
    case .idle, .running:
      let start = OneShot<Start?>()
      state = .starting([start])
      return .wait(start, isFirst: true)
    }
  }

  private func forget(_ session: PluginSession) {
    state.withLock { state in
      if case .running(let current) = state, current === session { state = .idle }
    }
  }

  private var closedError: ActionError {
    ActionError("plugin-stopped", "the plugin '\(plugin.name)' has been stopped", isRetryable: false)
  }

  private func start() async {
    var result: Start
    do throws(SystemError) {
      result = try await DetachedThread.run { self.spawnProgram() }
    } catch {
      result = .failure(startError(error))
    }
    if case .success(let session) = result, let problem = await problem(with: session) {
      await session.stop()
      result = .failure(problem)
    }
    let (waiters, unwanted) = state.withLock { state -> ([OneShot<Start?>], PluginSession?) in
      guard case .starting(let waiters) = state else { return ([], try? result.get()) }
      if case .success(let session) = result { state = .running(session) } else { state = .idle }
      return (waiters, nil)
    }
    for waiter in waiters { waiter.finish(result) }
    await unwanted?.stop()
  }

  private func spawnProgram() -> Start {
    do throws(ActionError) { return .success(try spawn()) } catch { return .failure(error) }
  }

  private func spawn() throws(ActionError) -> PluginSession {
    let command: PluginCommand
    switch plugin.manifest.program {
    case .command(let words):
      var withFiles = PluginCommand(words, seeing: plugin.manifest.environment)
      // Where they cannot be laid out only a program that asks for them fails, and says what it misses.
      let variables = try? SupportFolder(cache: cache.folder).variables(beside: withFiles.environment)
      withFiles.environment.merge(variables ?? [:]) { $1 }
      command = withFiles
    case .source(let entry):
      let program = try cache.program(of: plugin, entry: entry, limits: limits)
      command = PluginCommand([program], seeing: plugin.manifest.environment)
    }
    do throws(SystemError) {
      return try PluginSession(command, of: plugin, limits: limits)
    } catch {
      throw startError(error)
    }
  }

  private func startError(_ error: SystemError) -> ActionError {
    ActionError(
      "plugin-start", "\(error.description), the program of the plugin '\(plugin.name)' (\(plugin.origin))",
      isRetryable: error.isLackOfDescriptors || error.number == EAGAIN)
  }

  /// What speaks against using the program: it must be the one that the manifest describes.
  private func problem(with session: PluginSession) async -> ActionError? {
    switch await session.initialize() {
    case .answered(let value): plugin.disagreement(with: value)
    case .refused(let failure):
      ActionError(
        "plugin-start", "the program of the plugin '\(plugin.name)' refused to start: \(failure.message)",
        isRetryable: false)
    case .failed(let error), .lost(let error): error
    case .unread:
      ActionError(
        "plugin-exited", "the program of the plugin '\(plugin.name)' ended before it answered 'initialize'")
    }
  }

  /// Asks the program to end and waits until it and its group are gone; later calls fail.
  func close() async {
    let (session, waiters) = state.withLock { state -> (PluginSession?, [OneShot<Start?>]) in
      defer { state = .closed }
      switch state {
      case .running(let session): return (session, [])
      case .starting(let waiters): return (nil, waiters)
      case .idle, .closed: return (nil, [])
      }
    }
    for waiter in waiters { waiter.finish(.failure(closedError)) }
    await session?.stop()
  }
}
