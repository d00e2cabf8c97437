/// A workflow that runs for each item of a step: `uses: ./other.yaml` with `foreach`.
public struct ItemWorkflow: Sendable {
  /// The workflow, with all workflows that it includes.
  public var workflow: Workflow
  /// The folder of its file, relative to that of the including workflow. Empty if it is the same.
  public var folder: String
  /// A hash of its files, to detect whether one has changed.
  public var digest: UInt64

  /// Creates a workflow for items.
  public init(_ workflow: Workflow, folder: String, digest: UInt64) {
    self.workflow = workflow
    self.folder = folder
    self.digest = digest
  }
}
