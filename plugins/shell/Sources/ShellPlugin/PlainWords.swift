/// Splits a script into a program and arguments if a shell would do nothing else. The script must not contain anything
/// that a shell replaces, redirects or runs itself.
enum PlainWords {
  /// The characters that have no special meaning in any shell, wherever they are in a word.
  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:+@%".utf8)

  /// The keywords and built-in commands of dash and bash. A program of the same name may behave differently.
  private static let ofShells: Set<Substring> = [
    "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "chdir", "command", "compgen", "complete",
    "compopt", "continue", "coproc", "declare", "dirs", "disown", "do", "done", "echo", "elif", "else", "enable",
    "esac", "eval", "exec", "exit", "export", "false", "fc", "fg", "fi", "for", "function", "getopts", "hash",
    "help", "history", "if", "in", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "print", "printf",
    "pushd", "pwd", "read", "readarray", "readonly", "return", "select", "set", "setsid", "shift", "shopt",
    "source", "suspend", "test", "then", "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask",
    "unalias", "unset", "until", "wait", "whence", "while",
  ]

  /// Returns the words of a script, or nil if a shell must run it.
  static func words(of text: String) -> [String]? {
    let line = text.utf8
    // A quick check, because most scripts that need a shell contain other characters.
    guard line.allSatisfy({ plain.contains($0) || $0 == UInt8(ascii: "=") || isBlank($0) || isLineBreak($0) }) else {
      return nil
    }
    // A block scalar in YAML ends with a line break that does not belong to the command.
    var end = line.endIndex
    while end > line.startIndex, isBlank(line[line.index(before: end)]) || isLineBreak(line[line.index(before: end)]) {
      end = line.index(before: end)
    }
    let command = text[..<end]
    guard !command.utf8.contains(where: isLineBreak) else { return nil }
    let words = command.split { $0 == " " || $0 == "\t" }
    // A first word with `=` sets a variable, and `.` and `:` are built-in commands.
    guard let program = words.first, !program.utf8.contains(UInt8(ascii: "=")), !ofShells.contains(program),
      program != ".", program != ":"
    else { return nil }
    return words.map(String.init)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func isLineBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") }
}
