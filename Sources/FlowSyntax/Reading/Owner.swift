/// Which part of a file a message is about; turned into words only when something is wrong with it.
indirect enum Owner: ExpressibleByStringInterpolation {
  case text(String)
  /// The step with this id node.
  case step(NodeID)
  /// What is under a key of the step with this id node.
  case stepKey(StepKey, NodeID)
  /// A part of something: `max of deadline of step 'fetch'`.
  case part(String, of: Owner)

  init(stringLiteral value: String) { self = .text(value) }

  /// The words for it.
  func text(in tree: NodeTree) -> String {
    switch self {
    case .text(let text): text
    case .step(let key): "step '\(tree.keyName(key))'"
    case .stepKey(let key, let step): "\(key.rawValue) of step '\(tree.keyName(step))'"
    case .part(let part, let whole): "\(part) of \(whole.text(in: tree))"
    }
  }
}
