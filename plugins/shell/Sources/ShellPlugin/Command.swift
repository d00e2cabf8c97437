import FlowModel

/// What to run: a text for a shell, or a program with its arguments that no shell looks at.
struct Command: Hashable {
  /// The path or name of the program.
  var program: String
  var arguments: [String]
  /// The text that a shell reads; nil: no shell does.
  private(set) var text: String?
  /// The index of the argument that is a file with the text; nil: none.
  private(set) var scriptArgument: Int?

  /// Why a value is not a command.
  struct CommandLineProblem: Error, Hashable {
    var message: String
    /// Whether it is the shell that is wrong.
    var isOfShell = false
  }

  /// The command that a value describes; a text is read by `shell`.
  init(_ value: Value, shell: ShellTemplate = .plain) throws(CommandLineProblem) {
    switch value {
    case .string(let text):
      if text.utf8.contains(0) { throw CommandLineProblem(message: "a command cannot hold a null character") }
      guard text.contains(where: { !$0.isWhitespace }) else {
        throw CommandLineProblem(message: "the command is empty")
      }
      self.text = text
      program = shell.words[0]
      arguments = Array(shell.words.dropFirst())
      let place = shell.textPlace - 1
      arguments[place] = text
      if !shell.takesTextItself { scriptArgument = place }
    case .array(let values):
      // An element such as `${{ inputs.args }}` may give several words.
      let elements = values.flatMap { $0.arrayValue ?? [$0] }
      let words = elements.compactMap(\.stringValue)
      guard words.count == elements.count, let first = words.first, !first.isEmpty else {
        throw CommandLineProblem(message: "a command as a list is a program and its arguments, all of them text")
      }
      if words.contains(where: { $0.utf8.contains(0) }) {
        throw CommandLineProblem(message: "a command cannot hold a null character")
      }
      program = first
      arguments = Array(words.dropFirst())
    default:
      throw CommandLineProblem(
        message: "a command is text, or a list of a program and its arguments, not \(value.kindName)")
    }
  }

  /// Gives a text the words that it reads as its positional parameters.
  mutating func append(arguments words: [String], to shell: ShellTemplate) throws(CommandLineProblem) {
    guard text != nil, !words.isEmpty else { return }
    if words.contains(where: { $0.utf8.contains(0) }) {
      throw CommandLineProblem(message: "an argument cannot hold a null character")
    }
    arguments += (shell.namesText ? [program] : []) + words
  }

  /// The bytes that the system takes in one argument.
  static let longestArgumentBytes = 128 << 10

  private static let shells: Set<String> = ["sh", "bash", "dash", "zsh", "ksh", "fish"]
  /// Runs the file that is its only argument as if it had been the text itself.
  private static let pythonLoader =
    "import sys; exec(compile(open(sys.argv.pop(1), encoding='utf-8').read(), '<string>', 'exec'), {'__name__': '__main__'})"

  private var programName: String { String(program).pathParts.last ?? "" }

  /// Whether `sh` reads a text.
  var isForPlainShell: Bool { text != nil && (programName == "sh" || programName == "dash") }

  /// Puts a text that is longer than an argument may be into a file, if the shell is known to read one.
  mutating func moveLongTextToFile() {
    guard let text, scriptArgument == nil, text.utf8.count >= Self.longestArgumentBytes,
      let place = arguments.lastIndex(of: text), place > 0, arguments[place - 1] == "-c"
    else { return }
    if Self.shells.contains(String(programName)) {
      arguments.remove(at: place - 1)
      scriptArgument = place - 1
    } else if programName.hasPrefix("python") {
      arguments[place] = Self.pythonLoader
      arguments.insert(text, at: place + 1)
      scriptArgument = place + 1
    }
  }

  /// As people know it, for messages: the text itself, or the words with spaces between.
  var description: String {
    let text = text ?? ([program] + arguments).joined(separator: " ")
    let line = text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? text
    return line.count > 80 || line.utf8.count < text.utf8.count ? String(line.prefix(77)) + "..." : line
  }
}

/// The words that start a shell, one of them `{0}`: the text behind a `-c`, elsewhere a file that holds it.
struct ShellTemplate: Hashable {
  let words: [String]
  /// Where the text or its file goes; never the first word.
  let textPlace: Int

  /// What reads a text for which no shell is named.
  static let plain = ShellTemplate(words: ["/bin/sh", "-c", marker], textPlace: 2)

  private static let marker = "{0}"
  /// The shells that have a short name; each but the plain one stops at the first command that fails.
  private static let known = [
    "sh": "/bin/sh -e -c {0}", "bash": "bash --noprofile --norc -eo pipefail -c {0}", "python": "python3 -c {0}",
  ]

  private init(words: [String], textPlace: Int) {
    self.words = words
    self.textPlace = textPlace
  }

  /// The shell of a short name or a template.
  init(_ text: String) throws(Command.CommandLineProblem) {
    let words = (Self.known[text] ?? text).split { $0 == " " || $0 == "\t" || $0 == "\n" }.map(String.init)
    guard words.count(where: { $0 == Self.marker }) == 1, let place = words.firstIndex(of: Self.marker), place > 0
    else {
      let shells = Self.known.keys.sorted().joined(separator: ", ")
      let example = words.first.map { $0 == Self.marker ? "bash -e {0}" : "\($0) {0}" } ?? "bash -e {0}"
      throw Command.CommandLineProblem(
        message: "'\(text)' is neither \(shells) nor a program with {0} where the command goes; write '\(example)'",
        isOfShell: true)
    }
    self.init(words: words, textPlace: place)
  }

  /// Whether a word between the text and its parameters is the text's own name, `$0`.
  var namesText: Bool {
    let name = words[0].pathParts.last ?? words[0]
    return takesTextItself && ["sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"].contains(name)
  }

  /// Whether the text itself is handed over, and not a file.
  var takesTextItself: Bool { words[textPlace - 1] == "-c" }
}
