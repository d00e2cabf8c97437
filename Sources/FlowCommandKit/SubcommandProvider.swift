import ArgumentParser

/// A module that adds subcommands to `flowrun`.
package protocol SubcommandProvider: Sendable {
  /// The subcommands of the module, in the order in which the help lists them.
  var subcommands: [ProvidedSubcommand] { get }
}

/// A subcommand that a module adds to `flowrun`.
package struct ProvidedSubcommand: Sendable {
  /// A group of subcommands in the help to which modules can add theirs.
  package enum Group: Sendable {
    case inspect, plugins, servers
  }

  package let group: Group
  package let command: any ParsableCommand.Type

  package init(_ group: Group, _ command: any ParsableCommand.Type) { (self.group, self.command) = (group, command) }
}
