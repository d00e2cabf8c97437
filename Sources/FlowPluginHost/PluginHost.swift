import FlowModel
import FlowPluginKit
import Synchronization

/// Runs the programs of external plugins, and ends them.
///
/// ```swift
/// let host = PluginHost()
/// for plugin in found { try registry.register(name: plugin.name, origin: plugin.manifest, actions: host.actions(of: plugin)) }
/// // … run the workflow …
/// await host.close()
/// ```
///
/// A program is started at the first call of one of its actions and serves all calls until ``close()``; one that ended
/// is started again by the next call. Neither making a host nor registering actions starts or reads anything (P9).
public final class PluginHost: Sendable {
  private let limits: PluginLimits
  private let cache: ProgramCache
  private let clients = Mutex<[PluginClient]>([])

  /// A host that holds programs to `limits`.
  ///
  /// What is compiled from Swift source is kept in `cacheFolder`; nil: in the user's folder for caches.
  public init(limits: PluginLimits = PluginLimits(), cacheFolder: String? = nil) {
    self.limits = limits
    cache = ProgramCache(folder: cacheFolder ?? ProgramCache.userFolder)
  }

  /// The actions of a plugin, to be registered next to the built-in ones.
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

  /// Starts the program of a plugin whose actions were asked for, unless it runs, and waits until it has said what it is;
  /// gives the error that a call would end with.
  public func start(_ plugin: InstalledPlugin) async -> ActionError? {
    let client = clients.withLock { $0.last { $0.plugin.folder == plugin.folder } }
    return await client?.startProblem()
  }

  /// Whether no plugin is external, so that there is nothing to close.
  public var isEmpty: Bool { clients.withLock { $0.isEmpty } }

  /// Ends every program, politely within the grace, then by force, with everything it started.
  public func close() async {
    let clients = clients.withLock { $0 }
    await withTaskGroup { group in
      for client in clients { group.addTask { await client.close() } }
    }
  }
}
