import FlowModel

/// A command: a script that a shell interprets, or a program with arguments.
struct Command: Hashable {
  /// The path or the name of the program, which may be a shell.
  var program: String
  var arguments: [String]
  /// The script, or nil if no shell is used.
  private(set) var text: String?
  /// The words of the script, or nil if it needs a shell. They are set if a shell would only split the script into
  /// these words and run the program.
  private(set) var plainWords: [String]?
  /// The index of the argument that is the path of the script's file. Nil unless the script is in a file.
  private(set) var scriptArgument: Int?

  /// The reason why inputs do not form a command.
  struct CommandLineProblem: Error, Hashable {
    var message: String
    /// True if the problem is in the `shell` input.
    var isOfShell = false
  }

  /// Creates a command from the `command` input. If the input is a script, `shell` runs it.
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
      if shell.isPlain { plainWords = PlainWords.words(of: text) }
    case .array(let values):
      // An expression such as `${{ inputs.args }}` may provide several words.
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

  /// Appends positional parameters to a script. A command without a shell is not changed.
  mutating func append(arguments words: [String], to shell: ShellTemplate) throws(CommandLineProblem) {
    guard text != nil, !words.isEmpty else { return }
    if words.contains(where: { $0.utf8.contains(0) }) {
      throw CommandLineProblem(message: "an argument cannot hold a null character")
    }
    arguments += (shell.namesText ? [program] : []) + words
    plainWords = nil
  }

  /// The maximum size of one argument on Linux in bytes, including its final null character (`MAX_ARG_STRLEN`).
  static let longestArgumentBytes = 128 << 10

  private static let shells: Set<String> = ["sh", "bash", "dash", "zsh", "ksh", "fish"]
  /// A Python program whose only argument is a file, which it runs as if it were an inline script.
  private static let pythonLoader =
    "import sys; exec(compile(open(sys.argv.pop(1), encoding='utf-8').read(), '<string>', 'exec'), {'__name__': '__main__'})"

  private var programName: String { String(program).pathParts.last ?? "" }

  /// True if `sh` or `dash` runs the command.
  var isForPlainShell: Bool { text != nil && (programName == "sh" || programName == "dash") }

  /// Makes the shell read the script from a file, which is written later, if the script is too long for an argument and
  /// the shell can read scripts from files.
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

  /// A short form for messages: the first line of the script, or the program and its arguments, in up to 80 characters.
  var description: String {
    let text = text ?? ([program] + arguments).joined(separator: " ")
    let line = text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? text
    return line.count > 80 || line.utf8.count < text.utf8.count ? String(line.prefix(77)) + "..." : line
  }
}

/// The command line of a shell. The word `{0}` stands for the script if it follows `-c`, and otherwise for the path of
/// the script's file.
struct ShellTemplate: Hashable {
  let words: [String]
  /// The index of the word `{0}`. It is never 0.
  let textPlace: Int

  static let plain = ShellTemplate(words: ["/bin/sh", "-c", marker], textPlace: 2)

  private static let marker = "{0}"
  /// The shells that have a short name. `sh` and `bash` stop at the first command that fails.
  private static let known = [
    "sh": "/bin/sh -e -c {0}", "bash": "bash --noprofile --norc -eo pipefail -c {0}", "python": "python3 -c {0}",
  ]

  private init(words: [String], textPlace: Int) {
    self.words = words
    self.textPlace = textPlace
  }

  /// Creates a template from a short name, or from a command line that contains `{0}`.
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

  /// True if the shell expects a name for the script (`$0`) before the positional parameters.
  var namesText: Bool {
    let name = words[0].pathParts.last ?? words[0]
    return takesTextItself && ["sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"].contains(name)
  }

  /// True if the shell is `/bin/sh`, with or without `-e`.
  var isPlain: Bool { self == .plain || self == Self.strict }

  private static let strict = try? ShellTemplate("sh")

  /// True if the script itself is the argument. If false, the argument is the path of its file.
  var takesTextItself: Bool { words[textPlace - 1] == "-c" }
}
