/// A workflow that a step runs once for each item: `uses: ./other.yaml` with `foreach`.
package struct ItemWorkflow: Sendable {
  /// The workflow, merged with all workflows that it includes.
  package var workflow: Workflow
  /// The folder of the workflow's file, relative to the including workflow's folder. Empty if both are the same.
  package var folder: String
  /// A hash of all files of the workflow. It changes if one of them changes.
  package var digest: UInt64

  package init(_ workflow: Workflow, folder: String, digest: UInt64) {
    self.workflow = workflow
    self.folder = folder
    self.digest = digest
  }
}
