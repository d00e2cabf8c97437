/// A workflow that runs once for each item of a step: `uses: ./other.yaml` with `foreach`.
public struct ItemWorkflow: Sendable {
  /// The workflow, with everything that it includes.
  public var workflow: Workflow
  /// The folder of its file, where relative paths in it start, from that of the workflow which runs it; empty: the same.
  public var folder: String
  /// A hash of its files: another one where any of them changed.
  public var digest: UInt64

  /// A workflow for items.
  public init(_ workflow: Workflow, folder: String, digest: UInt64) {
    self.workflow = workflow
    self.folder = folder
    self.digest = digest
  }
}
