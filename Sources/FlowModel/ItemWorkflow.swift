/// A workflow that runs for each item of a step: `uses: ./other.yaml` with `foreach`.
package struct ItemWorkflow: Sendable {
  /// The workflow, with all workflows that it includes.
  package var workflow: Workflow
  /// The folder of its file, relative to that of the including workflow. Empty if it is the same.
  package var folder: String
  /// A hash of its files, to detect whether one has changed.
  package var digest: UInt64

  /// Creates a workflow for items.
  package init(_ workflow: Workflow, folder: String, digest: UInt64) {
    self.workflow = workflow
    self.folder = folder
    self.digest = digest
  }
}
