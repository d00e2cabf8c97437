import FlowModel
import FlowPluginKit
import Synchronization

/// Runs and ends the programs of external plugins.
///
/// ```swift
/// let host = PluginHost()
/// for plugin in found { try registry.register(name: plugin.name, origin: plugin.manifest, actions: host.actions(of: plugin)) }
/// // … run the workflow …
/// await host.close()
/// ```
///
/// A program is started at the first call of one of its actions and runs until ``close()``. If it ends earlier, the
/// next call starts it again. Creating a host and registering actions neither starts a program nor reads a file (P9).
public final class PluginHost: Sendable {
  private let limits: PluginLimits
  private let cache: ProgramCache
  private let clients = Mutex<[PluginClient]>([])

  /// Creates a host that enforces `limits` on programs.
  ///
  /// Programs compiled from Swift source are stored in `cacheFolder`, or in the user's cache folder if it is nil.
  public init(limits: PluginLimits = PluginLimits(), cacheFolder: String? = nil) {
    self.limits = limits
    cache = ProgramCache(folder: cacheFolder ?? ProgramCache.userFolder)
  }

  /// Returns the actions of a plugin, ready to be registered like built-in ones.
  public func actions(of plugin: InstalledPlugin) -> [RegisteredAction] {
    let client = PluginClient(plugin, limits: limits, cache: cache)
    clients.withLock { $0.append(client) }
    return plugin.manifest.actions.map { action in
      let callable = CallableAction(action)
      let run: @Sendable (ValueObject, ActionContext) async throws -> ValueObject = { inputs, context in
        try await client.run(callable, inputs, context)
      }
      return RegisteredAction(
        declaration: action.declaration, body: action.declaration.isService ? .service(run) : .asynchronous(run))
    }
  }

  /// Starts a plugin's program unless it is running, and waits until it is initialized. Returns the error, or nil if
  /// the program is running. ``actions(of:)`` must have been called before.
  public func start(_ plugin: InstalledPlugin) async -> ActionError? {
    let client = clients.withLock { $0.last { $0.plugin.folder == plugin.folder } }
    return await client?.startProblem()
  }

  /// True if no plugin has been added, so that there is nothing to close.
  public var isEmpty: Bool { clients.withLock { $0.isEmpty } }

  /// Asks every program to end. A program that is still running after the grace period is killed with its child
  /// processes.
  public func close() async {
    let clients = clients.withLock { $0 }
    await withTaskGroup { group in
      for client in clients { group.addTask { await client.close() } }
    }
  }
}
