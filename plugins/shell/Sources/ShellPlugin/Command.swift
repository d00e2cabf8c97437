import FlowModel

/// What to run: a text for the shell, or a program with its arguments that no shell looks at.
struct Command: Hashable {
  /// The path or name of the program.
  var program: String
  var arguments: [String]

  /// Why a value is no command.
  struct Problem: Error, Hashable {
    var message: String
  }

  /// The command that a value describes.
  init(_ value: Value) throws(Problem) {
    switch value {
    case .string(let text):
      if text.utf8.contains(0) { throw Problem(message: "a command cannot hold a null character") }
      guard text.contains(where: { !$0.isWhitespace }) else { throw Problem(message: "the command is empty") }
      program = "/bin/sh"
      arguments = ["-c", text]
    case .array(let values):
      let words = values.compactMap(\.stringValue)
      guard words.count == values.count, let first = words.first, !first.isEmpty else {
        throw Problem(message: "a command as a list is a program and its arguments, all of them text")
      }
      if words.contains(where: { $0.utf8.contains(0) }) {
        throw Problem(message: "a command cannot hold a null character")
      }
      program = first
      arguments = Array(words.dropFirst())
    default:
      throw Problem(message: "a command is text, or a list of a program and its arguments, not \(value.kindName)")
    }
  }

  /// As people know it, for messages: the text itself, or the words with spaces between.
  var description: String {
    let text =
      program == "/bin/sh" && arguments.first == "-c" ? arguments[1] : ([program] + arguments).joined(separator: " ")
    let line = text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? text
    return line.count > 80 || line.utf8.count < text.utf8.count ? String(line.prefix(77)) + "..." : line
  }
}
