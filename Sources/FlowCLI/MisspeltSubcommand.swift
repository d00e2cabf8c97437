import ArgumentParser
import FlowDiagnostics
import FlowSystem

/// A word that is where a subcommand belongs and is none; the argument parser would take it for a file, or pass it
/// over.
struct MisspeltSubcommand {
  /// What is wrong with it, and what was probably meant.
  let description: String

  /// The first such word among the arguments of the process, if there is one.
  static func find(in arguments: [String]) -> MisspeltSubcommand? {
    guard let first = arguments.first, !first.hasPrefix("-") else { return nil }
    if first == "help" { return unknown(askedFor: arguments.dropFirst()) }
    guard let parent = subcommand(first, of: FlowCommand.self) else {
      guard !FilePath.exists(first), let question = question(about: first) else { return nil }
      return MisspeltSubcommand("'\(first)' is neither a subcommand nor a file; \(question)")
    }
    guard let second = arguments.dropFirst().first, !second.hasPrefix("-"), !FilePath.exists(second),
      subcommand(second, of: parent) == nil, let question = NearestName.question(second, among: names(of: parent))
    else { return nil }
    return MisspeltSubcommand("'\(second)' is not a subcommand of 'flowrun \(first)'; \(question)")
  }

  private init(_ text: String) { description = TerminalText.visible(text) }

  /// The first word after `help` that is not a subcommand.
  private static func unknown(askedFor words: ArraySlice<String>) -> MisspeltSubcommand? {
    var command: any ParsableCommand.Type = FlowCommand.self
    var path = "flowrun"
    for word in words where !word.hasPrefix("-") {
      guard let next = subcommand(word, of: command) else {
        let question = NearestName.question(word, among: names(of: command)) ?? "'\(path) --help' lists the subcommands"
        return MisspeltSubcommand("'\(word)' is not a subcommand of '\(path)'; \(question)")
      }
      command = next
      path += " \(word)"
    }
    return nil
  }

  /// What was probably meant by a word that is neither a subcommand nor a file: a file but for its ending, or a
  /// subcommand.
  private static func question(about word: String) -> String? {
    for file in [word + ".yaml", word + ".yml"] where FilePath.exists(file) { return "did you mean '\(file)'?" }
    return NearestName.question(word, among: names(of: FlowCommand.self) + ["help"])
  }

  private static func subcommand(
    _ name: String, of command: any ParsableCommand.Type
  ) -> (any ParsableCommand.Type)? {
    command.configuration.subcommands.first { $0.configuration.commandName == name }
  }

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    command.configuration.subcommands.compactMap { $0.configuration.commandName }
  }
}
