extension Expression {
  /// True if this `if` may be true even if a dependency of the step did not succeed.
  ///
  /// For this it must call a status function, and must not be false whenever `success()` is.
  package var mayHoldBehindFailure: Bool {
    guard usesStatusFunction, let root else { return false }
    return truthBehindFailure(root) != false
  }

  /// Returns the truth of a node if `success()` is false, or nil if it depends on other values.
  private func truthBehindFailure(_ index: ExpressionNode.Index) -> Bool? {
    switch nodes[Int(index)].kind {
    case .null: return false
    case .boolean(let flag): return flag
    case .not(let part): return truthBehindFailure(part).map { !$0 }
    case .and(let parts):
      let truths = parts.map(truthBehindFailure)
      return truths.contains(false) ? false : truths.allSatisfy { $0 == true } ? true : nil
    case .or(let parts):
      let truths = parts.map(truthBehindFailure)
      return truths.contains(true) ? true : truths.allSatisfy { $0 == false } ? false : nil
    case .status(.success): return false
    case .status(.always): return true
    default: return nil
    }
  }
}
