/// An entry in the `env-file` of a workflow.
package struct EnvironmentFileName: Sendable, Hashable {
  /// The path of the file. It may contain expressions in `${{ }}` that read `inputs`.
  package var path: String
  /// True if a run cannot start unless the file exists.
  package var isRequired: Bool

  package init(_ path: String, isRequired: Bool = true) {
    self.path = path
    self.isRequired = isRequired
  }
}
