/// Describes the part of a file that a message is about. The description is formatted only if there is a problem.
indirect enum Owner: ExpressibleByStringInterpolation {
  case text(String)
  /// A step, given by the node of its id.
  case step(NodeID)
  /// The value of a key in a step, given by the node of the step's id.
  case stepKey(StepKey, NodeID)
  /// A part of another owner, such as `max of deadline of step 'fetch'`.
  case part(String, of: Owner)

  init(stringLiteral value: String) { self = .text(value) }

  /// Returns the description as text for a message.
  func text(in tree: NodeTree) -> String {
    switch self {
    case .text(let text): text
    case .step(let key): "step '\(tree.keyName(key))'"
    case .stepKey(let key, let step): "\(key.rawValue) of step '\(tree.keyName(step))'"
    case .part(let part, let whole): "\(part) of \(whole.text(in: tree))"
    }
  }
}
