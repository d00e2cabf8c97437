import FlowDiagnostics

/// Where in the tree the parts of a workflow stand, for messages.
struct WorkflowLocations: Sendable {
  /// The workflow's own keys, in the order of the file.
  var keys: [(key: WorkflowKey, member: MemberCursor.Member)] = []
  /// The steps by index: the id's node and the node of the step.
  var steps: [StepLocation] = []

  func member(_ key: WorkflowKey) -> MemberCursor.Member? { keys.first { $0.key == key }?.member }

  func value(_ key: WorkflowKey) -> NodeID? { member(key)?.value }
}

/// Where a step is.
struct StepLocation: Sendable {
  private let key32: Int32
  private let value32: Int32

  init(key: NodeID, value: NodeID) {
    key32 = Int32(key)
    value32 = Int32(value)
  }

  /// The node of the id.
  var key: NodeID { Int(key32) }
  /// The node of what is under it.
  var value: NodeID { Int(value32) }
}

extension NodeTree {
  /// The member of a mapping under `key`, or nil; the tree has been read before, so merge keys raise nothing new.
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
