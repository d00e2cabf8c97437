import FlowDiagnostics

/// The nodes of a workflow's keys and steps, from which diagnostics get their locations.
struct WorkflowLocations: Sendable {
  /// The keys of the workflow, in file order.
  var keys: [(key: WorkflowKey, member: MemberCursor.Member)] = []
  /// The nodes of the steps, by index.
  var steps: [StepLocation] = []

  func member(_ key: WorkflowKey) -> MemberCursor.Member? { keys.first { $0.key == key }?.member }

  func value(_ key: WorkflowKey) -> NodeID? { member(key)?.value }
}

/// The nodes of a step's id and of its mapping.
struct StepLocation: Sendable {
  private let key32: Int32
  private let value32: Int32

  init(key: NodeID, value: NodeID) {
    key32 = Int32(key)
    value32 = Int32(value)
  }

  var key: NodeID { Int(key32) }
  var value: NodeID { Int(value32) }
}

extension NodeTree {
  /// Returns the member of a mapping with this key, or nil. The tree was checked before, so errors in merge keys are
  /// ignored.
  func member(_ key: String, of mapping: NodeID) -> MemberCursor.Member? {
    guard kind(mapping) == .mapping else { return nil }
    var ignored: [Diagnostic] = []
    var members = members(of: mapping, failures: &ignored)
    while let member = members.next(in: self) {
      if kind(member.key) == .scalar, text(member.key) == key { return member }
    }
    return nil
  }
}
