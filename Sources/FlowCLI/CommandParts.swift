import ArgumentParser
import FlowCommandKit
import FlowEngine
import FlowSystem
import Synchronization

/// The modules that a program adds to the frame of `flowrun`: subcommands, and what options of `flowrun run` need.
package struct CommandParts: Sendable {
  /// The modules with subcommands, in the order of the help.
  package var providers: [any SubcommandProvider]
  /// The executors of `--on` and of the key `executor`.
  package var executors: any ExecutorProvider
  /// The run stores next to workflows and of `--store`.
  package var stores: any StoreProvider
  /// Returns the page of a run for `--report FILE.html`, or nil if the program writes no pages.
  package var reportPage: (@Sendable (RunReport) -> String)?

  /// Creates the parts of a program. By default, all steps run in the program's own process and no run is recorded.
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

  /// The parts of this process. `FlowCommand.start` sets them before it reads arguments.
  package static var current: CommandParts {
    get { chosen.mutex.withLock { $0 } }
    set { chosen.mutex.withLock { $0 = newValue } }
  }

  /// Returns the subcommands of other modules in a group of the help.
  func subcommands(in group: ProvidedSubcommand.Group) -> [any ParsableCommand.Type] {
    providers.flatMap(\.subcommands).filter { $0.group == group }.map(\.command)
  }
}
