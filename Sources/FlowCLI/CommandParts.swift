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
  /// Returns the page of a run for `--report FILE.html`, or nil if the program writes no pages.
  package var reportPage: (@Sendable (RunReport) -> String)?

  /// Creates the parts of a program. By default, all steps run in the program's own process.
  package init(
    _ providers: [any SubcommandProvider] = [], executors: any ExecutorProvider = WithoutExecutors(),
    reportPage: (@Sendable (RunReport) -> String)? = nil
  ) {
    self.providers = providers
    self.executors = executors
    self.reportPage = reportPage
  }

  private static let chosen = SharedMutex(CommandParts())

  /// The parts of this process. `FlowCommand.start` sets them before it reads arguments.
  static var current: CommandParts {
    get { chosen.mutex.withLock { $0 } }
    set { chosen.mutex.withLock { $0 = newValue } }
  }

  /// Returns the subcommands of other modules in a group of the help.
  func subcommands(in group: ProvidedSubcommand.Group) -> [any ParsableCommand.Type] {
    providers.flatMap(\.subcommands).filter { $0.group == group }.map(\.command)
  }
}
