/// The words of a command text that mean the same with and without a shell: a program and its arguments, with nothing that a shell
/// would replace, redirect or run itself.
enum PlainWords {
  /// The characters that no shell treats specially, wherever they are in a word.
  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:+@%".utf8)

  /// The words that `sh`, as dash or as bash, knows as commands of its own or as parts of its language. Programs of the same name may
  /// behave differently.
  private static let ofShells: Set<Substring> = [
    "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "chdir", "command", "compgen", "complete",
    "compopt", "continue", "coproc", "declare", "dirs", "disown", "do", "done", "echo", "elif", "else", "enable",
    "esac", "eval", "exec", "exit", "export", "false", "fc", "fg", "fi", "for", "function", "getopts", "hash",
    "help", "history", "if", "in", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "print", "printf",
    "pushd", "pwd", "read", "readarray", "readonly", "return", "select", "set", "setsid", "shift", "shopt",
    "source", "suspend", "test", "then", "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask",
    "unalias", "unset", "until", "wait", "whence", "while",
  ]

  /// Returns the words of a text, or nil if a shell is needed to read it.
  static func words(of text: String) -> [String]? {
    let line = text.utf8
    // Most texts that need a shell are told apart by one of their first characters.
    guard line.allSatisfy({ plain.contains($0) || $0 == UInt8(ascii: "=") || isBlank($0) || isLineBreak($0) }) else {
      return nil
    }
    // A line break at the end, as block texts have, is not part of the command.
    var end = line.endIndex
    while end > line.startIndex, isBlank(line[line.index(before: end)]) || isLineBreak(line[line.index(before: end)]) {
      end = line.index(before: end)
    }
    let command = text[..<end]
    guard !command.utf8.contains(where: isLineBreak) else { return nil }
    let words = command.split { $0 == " " || $0 == "\t" }
    // A word with an equals sign before the program is a variable, and dash reads a program named '.' or ':' itself.
    guard let program = words.first, !program.utf8.contains(UInt8(ascii: "=")), !ofShells.contains(program),
      program != ".", program != ":"
    else { return nil }
    return words.map(String.init)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func isLineBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") }
}
