import ArgumentParser
import FlowDiagnostics
import FlowSystem

/// A word in the position of a subcommand that is not a subcommand. The argument parser would ignore it or treat it as
/// a file name.
struct MisspeltSubcommand {
  /// The message of the error, which includes the suggestion.
  let description: String

  /// Finds a misspelled subcommand or an unknown option in the arguments of the process. Returns nil if there is
  /// neither, or if nothing similar to a misspelled subcommand is known.
  static func find(in arguments: [String]) -> MisspeltSubcommand? {
    guard let first = arguments.first else { return nil }
    // Completion scripts call flowrun with `---completion`.
    if first.hasPrefix("--"), !first.hasPrefix("---") { return unknown(option: first) }
    if first.hasPrefix("-") {
      return ForeignOption.remedy(for: first).map { MisspeltSubcommand("unknown option '\(first)'; \($0)") }
    }
    if first == "help" { return unknown(askedFor: arguments.dropFirst()) }
    guard let parent = subcommand(first, of: FlowCommand.self) else {
      // If there is a `flowrun.yaml`, the word may be one of its steps. If that file exists but must not be used, that
      // is reported elsewhere.
      guard !FilePath.exists(first), case .success(nil) = Result(catching: { try DefaultWorkflow.find() }),
        let question = question(about: first, before: arguments.dropFirst().first)
      else { return nil }
      return MisspeltSubcommand("'\(first)' is neither a subcommand nor a file; \(question)")
    }
    guard let second = arguments.dropFirst().first, !second.hasPrefix("-"), !FilePath.exists(second),
      subcommand(second, of: parent) == nil, let question = NearestName.question(second, among: names(of: parent))
    else { return nil }
    return MisspeltSubcommand("'\(second)' is not a subcommand of 'flowrun \(first)'; \(question)")
  }

  /// Returns the error for an option of `flowrun`, or nil if the option exists. The argument parser reports an unknown
  /// option only if the command line also names a file.
  private static func unknown(option: String) -> MisspeltSubcommand? {
    let name = String(option.prefix { $0 != "=" })
    let help = FlowCommand.helpMessage(for: RunCommand.self, columns: 200)
    let known = help.split { !($0.isLetter || $0.isNumber || $0 == "-") }.filter { $0.hasPrefix("--") }.map(String.init)
    let names = Set(
      known + ["--version", "--help", "--help-hidden", "--generate-completion-script", "--experimental-dump-help"])
    guard name.count > 2, !names.contains(name) else { return nil }
    let question =
      ForeignOption.remedy(for: name) ?? NearestName.question(name, among: names.sorted())
      ?? "'flowrun --help' lists the options"
    return MisspeltSubcommand("unknown option '\(name)'; \(question)")
  }

  /// The names that other tools use for subcommands, with the equivalents in flowrun.
  private static let otherNames = [
    "check": "validate FILE", "lint": "validate FILE", "test": "validate FILE", "verify": "validate FILE",
    "list": "graph FILE", "ls": "graph FILE", "tasks": "graph FILE", "status": "runs", "ps": "runs", "history": "runs",
    "start": "run FILE", "exec": "run FILE", "stop": "cancel RUN", "retry": "resume RUN", "dry-run": "simulate FILE",
    "plan": "simulate FILE", "log": "logs RUN", "new": "init", "create": "init",
  ]

  /// Returns the suggestion for a word that is a subcommand in other tools, or nil.
  static func form(of word: String, file: String) -> String? {
    otherNames[word].map { "did you mean 'flowrun \($0.replacing("FILE", with: file))'?" }
  }

  private init(_ text: String) { description = TerminalText.visible(text) }

  /// Returns the error for the first word after `help` that is not a subcommand, or nil.
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

  /// Returns a suggestion for a word that is neither a subcommand nor a file: a file with this name and an extension,
  /// the subcommand for a word of other tools, a similar subcommand, or the file that follows. Returns nil if there is
  /// none.
  private static func question(about word: String, before next: String?) -> String? {
    for file in [word + ".yaml", word + ".yml"] where FilePath.exists(file) { return "did you mean '\(file)'?" }
    let file = next.flatMap { $0.hasPrefix("-") || !FilePath.exists($0) ? nil : $0 }
    return form(of: word, file: file ?? "FILE")
      ?? NearestName.question(word, among: names(of: FlowCommand.self) + ["help"])
      ?? file.map { "did you mean 'flowrun \($0)'?" }
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
