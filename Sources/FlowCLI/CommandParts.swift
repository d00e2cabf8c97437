import ArgumentParser
import FlowCommandKit
import FlowEngine
import FlowSystem
import Synchronization

/// The modules that a program adds to the framework of `flowrun`: subcommands, and the implementations behind some
/// options of `flowrun run`.
package struct CommandParts: Sendable {
  /// The modules with subcommands, in the order in which the help lists them.
  package var providers: [any SubcommandProvider]
  /// The executors for `--on` and for the key `executor`.
  package var executors: any ExecutorProvider
  /// The run stores: files next to workflows, and databases for `--store`.
  package var stores: any StoreProvider
  /// Returns the HTML page of a run for `--report FILE.html`, or nil if the program writes no pages.
  package var reportPage: (@Sendable (RunReport) -> String)?

  /// Creates the parts of a program. By default, all steps run in the program's own process, and no run is recorded.
  package init(
    _ providers: [any SubcommandProvider] = [], executors: any ExecutorProvider = WithoutExecutors(),
    stores: any StoreProvider = WithoutStores(),
    reportPage: (@Sendable (RunReport) -> String)? = nil
  ) {
    self.providers = providers
    self.executors = executors
    self.stores = stores
    self.reportPage = reportPage
  }

  private static let chosen = SharedMutex(CommandParts())

  /// The parts of this program. `FlowCommand.start` sets them before it reads the arguments.
  package static var current: CommandParts {
    get { chosen.mutex.withLock { $0 } }
    set { chosen.mutex.withLock { $0 = newValue } }
  }

  /// Returns the subcommands of other modules that the help lists in `group`.
  func subcommands(in group: ProvidedSubcommand.Group) -> [any ParsableCommand.Type] {
    providers.flatMap(\.subcommands).filter { $0.group == group }.map(\.command)
  }
}
