/// A file in the `env-file` of a workflow.
package struct EnvironmentFileName: Sendable, Hashable {
  /// The path, which may contain `${{ }}` that reads `inputs`.
  package var path: String
  /// True if a run cannot start without the file.
  package var isRequired: Bool

  /// Creates a reference to a file.
  package init(_ path: String, isRequired: Bool = true) {
    self.path = path
    self.isRequired = isRequired
  }
}
