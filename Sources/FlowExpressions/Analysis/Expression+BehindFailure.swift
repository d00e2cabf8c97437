extension Expression {
  /// Whether an `if` may hold though something that its step needs did not succeed.
  ///
  /// Without a status function it never does; with one it does unless it is false whenever `success()` is.
  public var mayHoldBehindFailure: Bool {
    guard usesStatusFunction, let root else { return false }
    return truthBehindFailure(root) != false
  }

  /// What a part counts as where `success()` is false; nil: that depends.
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
