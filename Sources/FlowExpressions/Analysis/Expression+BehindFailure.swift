extension Expression {
  /// True if this `if` can be true although a dependency of the step has not succeeded.
  ///
  /// This requires that it calls a status function, and that it is not false whenever `success()` is false.
  package var mayHoldBehindFailure: Bool {
    guard usesStatusFunction, let root else { return false }
    return truthBehindFailure(root) != false
  }

  /// Returns the truth of a node if `success()` is false. Returns nil if the truth depends on other values.
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
