import FlowDiagnostics

/// The steps of a workflow file, for lists and completion. They are read from the text alone: the file is not checked,
/// and plugins and included files are not read.
package struct StepOverview: Sendable {
  package struct Step: Sendable, Hashable {
    /// The id of the step.
    public var id: String
    /// The first line of the step's description, or nil if it has none.
    public var description: String?
  }

  /// The first line of the workflow's description, or nil if it has none.
  package private(set) var description: String?
  /// The steps in file order, without those in `finally`.
  package private(set) var steps: [Step] = []
  /// The ids of the steps in `finally`.
  package private(set) var finalSteps: [String] = []

  /// Reads the steps of a file. Returns nil if the file is not YAML or does not contain a mapping.
  package init?(_ bytes: [UInt8], file: String) {
    guard case .success(let tree) = YAMLParser.parse(SourceText(bytes, file: file)), let root = tree.root,
      tree.kind(root) == .mapping
    else { return nil }
    description = Self.line(WorkflowKey.description.rawValue, of: root, in: tree)
    steps = Self.steps(WorkflowKey.steps.rawValue, of: root, in: tree)
    finalSteps = Self.steps(WorkflowKey.finally.rawValue, of: root, in: tree).map(\.id)
  }

  private static func steps(_ key: String, of root: NodeID, in tree: NodeTree) -> [Step] {
    guard let node = tree.member(key, of: root)?.value, tree.kind(node) == .mapping else { return [] }
    var ignored: [Diagnostic] = []
    var members = tree.members(of: node, failures: &ignored)
    var steps: [Step] = []
    while let member = members.next(in: tree) {
      guard let id = tree.text(of: member.key) else { continue }
      let isMapping = tree.kind(member.value) == .mapping
      steps.append(
        Step(
          id: id,
          description: isMapping ? line(StepKey.description.rawValue, of: member.value, in: tree) : nil))
    }
    return steps
  }

  private static func line(_ key: String, of node: NodeID, in tree: NodeTree) -> String? {
    guard let value = tree.member(key, of: node)?.value, let text = tree.text(of: tree.resolve(value)) else {
      return nil
    }
    return text.split(separator: "\n").first.map(String.init)
  }
}
