/// The part of a file that a message is about. It is formatted only if there is a problem.
indirect enum Owner: ExpressibleByStringInterpolation {
  case text(String)
  /// The step whose id is this node.
  case step(NodeID)
  /// The value of a key of the step whose id is this node.
  case stepKey(StepKey, NodeID)
  /// A part of another owner, such as `max of deadline of step 'fetch'`.
  case part(String, of: Owner)

  init(stringLiteral value: String) { self = .text(value) }

  /// Returns the description for a message.
  func text(in tree: NodeTree) -> String {
    switch self {
    case .text(let text): text
    case .step(let key): "step '\(tree.keyName(key))'"
    case .stepKey(let key, let step): "\(key.rawValue) of step '\(tree.keyName(step))'"
    case .part(let part, let whole): "\(part) of \(whole.text(in: tree))"
    }
  }
}
