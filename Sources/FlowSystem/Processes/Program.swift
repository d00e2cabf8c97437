/// A program to start, with its arguments, environment and folder.
package struct Program: Sendable {
  /// The path of the program. If it contains no slash, the program is searched for in `PATH`.
  package var path: String
  /// The arguments, starting with the name of the program.
  package var arguments: CStrings
  package var environment: CStrings
  package var folder: String

  package init(path: String, arguments: CStrings, environment: CStrings, folder: String) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
    self.folder = folder
  }

  /// Creates a program from the words of a command line. The first word is the path.
  package init(_ words: [String], environment: [String: String], folder: String) {
    self.init(
      path: words[0], arguments: CStrings(words), environment: CStrings(environment: environment), folder: folder)
  }
}
