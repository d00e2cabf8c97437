import FlowModel
import FlowPluginKit
import FlowSyntax
import FlowSystem

/// Runs the actions of one plugin. Starts the plugin's program for the first call. If the program ends, the next call
/// starts it again.
final class PluginClient: Sendable {
  let plugin: InstalledPlugin
  private let supervisor: ProgramSupervisor

  init(_ plugin: InstalledPlugin, limits: PluginLimits, cache: ProgramCache) {
    self.plugin = plugin
    var program = ProgramSupervisor.Program("the plugin '\(plugin.name)'") {
      let start: Result<PluginSession, ActionError>
      do throws(SystemError) {
        start = try await DetachedThread.run {
          Result { () throws(ActionError) in try Self.spawn(plugin, limits: limits, cache: cache) }
        }
      } catch {
        throw Self.startError(error, plugin)
      }
      return try start.get()
    } objection: { greeting in
      plugin.disagreement(with: greeting)
    } refine: { problem in
      if !problem.hadGreeted, problem.error.isRetryable == false { problem.ending = .lasting }
    }
    program.rules.starts = limits.startsInARow
    supervisor = ProgramSupervisor(program)
  }

  /// Runs one attempt of a step. If the program ends before it reads the call, the call is sent to the next program.
  func run(_ action: CallableAction, _ inputs: ValueObject, _ context: ActionContext) async throws -> ValueObject {
    let inputs = try action.completed(inputs)
    var unread: PluginSession?
    while true {
      try Task.checkCancellation()
      let session = if let running = supervisor.running { running } else { try await supervisor.session(after: unread) }
      switch await session.run(action, inputs, context) {
      case .answered(let value): return try outputs(of: action, in: value)
      case .refused(let failure):
        try Task.checkCancellation()
        throw action.error(failure)
      case .failed(let error), .lost(let error): throw error
      case .unread: unread = session
      }
    }
  }

  private func outputs(of action: CallableAction, in value: Value) throws(ActionError) -> ValueObject {
    guard let result = value.objectValue, let outputs = result["outputs"] else {
      throw ActionError(
        "plugin-output", "'\(action.declaration.name)' answered \(value.shortText), not an object with 'outputs'",
        isRetryable: false)
    }
    return try action.checkedOutputs(outputs)
  }

  /// Starts the program unless it is running. Returns the error, or nil if the program is running.
  func startProblem() async -> ActionError? {
    do {
      _ = try await supervisor.session()
      return nil
    } catch {
      return error as? ActionError ?? ActionError("plugin-start", "\(error)", isRetryable: false)
    }
  }

  private static func spawn(
    _ plugin: InstalledPlugin, limits: PluginLimits, cache: ProgramCache
  ) throws(ActionError) -> PluginSession {
    let command: PluginCommand
    switch plugin.manifest.program {
    case .command(let words):
      var withFiles = PluginCommand(words, seeing: plugin.manifest.environment)
      // An error is ignored, because many programs do not use the support files. Those that do report missing files
      // themselves.
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
      throw startError(error, plugin)
    }
  }

  private static func startError(_ error: SystemError, _ plugin: InstalledPlugin) -> ActionError {
    ActionError(
      "plugin-start", "\(error.description), the program of the plugin '\(plugin.name)' (\(plugin.origin))",
      isRetryable: error.isLackOfDescriptors || error.number == EAGAIN)
  }

  /// Asks the program to end, and waits until all processes of its group have ended. Later calls fail.
  func close() async { await supervisor.close()?.awaitEnd() }
}
