/// A program to be started, with everything that it is given.
package struct Program: Sendable {
  /// Its path; without a slash it is looked for in `PATH`.
  package var path: String
  /// Its arguments, its own name first.
  package var arguments: CStrings
  /// Its whole environment.
  package var environment: CStrings
  /// The folder it starts in.
  package var folder: String

  /// A program with everything stated.
  package init(path: String, arguments: CStrings, environment: CStrings, folder: String) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
    self.folder = folder
  }

  /// A program of words, the first of them its path.
  package init(_ words: [String], environment: [String: String], folder: String) {
    self.init(
      path: words[0], arguments: CStrings(words), environment: CStrings(environment: environment), folder: folder)
  }
}
