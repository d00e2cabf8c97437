/// A program to start, with its parameters.
package struct Program: Sendable {
  /// The path; without a slash, the program is searched in `PATH`.
  package var path: String
  /// The arguments, beginning with the program's name.
  package var arguments: CStrings
  package var environment: CStrings
  package var folder: String

  package init(path: String, arguments: CStrings, environment: CStrings, folder: String) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
    self.folder = folder
  }

  /// Creates a program from words, the first of which is its path.
  package init(_ words: [String], environment: [String: String], folder: String) {
    self.init(
      path: words[0], arguments: CStrings(words), environment: CStrings(environment: environment), folder: folder)
  }
}
