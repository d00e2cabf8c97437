/// Splits a script into a program and its arguments if a shell would do the same. That requires that the script
/// contains nothing that a shell replaces, redirects or runs itself.
enum PlainWords {
  /// The characters without a special meaning for any shell, at any position of a word.
  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:+@%".utf8)

  /// The keywords and built-in commands of `sh`, whether it is dash or bash. A program with the same name may behave
  /// differently.
  private static let ofShells: Set<Substring> = [
    "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "chdir", "command", "compgen", "complete",
    "compopt", "continue", "coproc", "declare", "dirs", "disown", "do", "done", "echo", "elif", "else", "enable",
    "esac", "eval", "exec", "exit", "export", "false", "fc", "fg", "fi", "for", "function", "getopts", "hash",
    "help", "history", "if", "in", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "print", "printf",
    "pushd", "pwd", "read", "readarray", "readonly", "return", "select", "set", "setsid", "shift", "shopt",
    "source", "suspend", "test", "then", "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask",
    "unalias", "unset", "until", "wait", "whence", "while",
  ]

  /// Returns the words of a script, or nil if it needs a shell.
  static func words(of text: String) -> [String]? {
    let line = text.utf8
    // Most scripts that need a shell contain other characters.
    guard line.allSatisfy({ plain.contains($0) || $0 == UInt8(ascii: "=") || isBlank($0) || isLineBreak($0) }) else {
      return nil
    }
    // A block scalar ends with a line break, which is not part of the command.
    var end = line.endIndex
    while end > line.startIndex, isBlank(line[line.index(before: end)]) || isLineBreak(line[line.index(before: end)]) {
      end = line.index(before: end)
    }
    let command = text[..<end]
    guard !command.utf8.contains(where: isLineBreak) else { return nil }
    let words = command.split { $0 == " " || $0 == "\t" }
    // A word with `=` before the program sets a variable, and `.` and `:` are built-in commands.
    guard let program = words.first, !program.utf8.contains(UInt8(ascii: "=")), !ofShells.contains(program),
      program != ".", program != ":"
    else { return nil }
    return words.map(String.init)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func isLineBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") }
}
