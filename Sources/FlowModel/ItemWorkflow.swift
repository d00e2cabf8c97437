/// A workflow that runs once for each item of a step: `uses: ./other.yaml` with `foreach`.
public struct ItemWorkflow: Sendable {
  /// The workflow, including all workflows that it includes.
  public var workflow: Workflow
  /// The folder of its file, relative to the folder of the including workflow; empty if they are the same.
  public var folder: String
  /// A hash of its files, which changes if any of them changes.
  public var digest: UInt64

  /// Creates a workflow for items.
  public init(_ workflow: Workflow, folder: String, digest: UInt64) {
    self.workflow = workflow
    self.folder = folder
    self.digest = digest
  }
}
