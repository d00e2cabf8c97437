import FlowModel

/// The shapes of the graphs on which all schedulers are measured.
enum Shape: String, CaseIterable {
  case chain, fan, tree, wavefront, layers

  /// Returns the dependencies of each step of a graph. They always precede the step.
  func needs(count: Int) -> [[Int]] {
    switch self {
    case .chain: (0..<count).map { $0 == 0 ? [] : [$0 - 1] }
    case .fan: (0..<count).map { $0 == 0 ? [] : [0] }
    case .tree: (0..<count).map { $0 == 0 ? [] : [($0 - 1) / 2] }
    case .wavefront: Self.wavefront(side: 300)
    case .layers: Self.layers(count: count)
    }
  }

  /// Returns a square in which each step depends on the steps above it and to its left.
  private static func wavefront(side: Int) -> [[Int]] {
    (0..<(side * side)).map { index in
      (index >= side ? [index - side] : []) + (index % side > 0 ? [index - 1] : [])
    }
  }

  /// Returns a hundred layers in which each step depends on two random steps of the previous layer. The seed is fixed,
  /// so the graph is always the same.
  private static func layers(count: Int) -> [[Int]] {
    let width = max(1, count / 100)
    var state: UInt64 = 42
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    return (0..<count).map { index in
      let layer = index / width
      guard layer > 0 else { return [] }
      let first = (layer - 1) * width + random(width)
      let second = (layer - 1) * width + random(width)
      return first == second ? [first] : [first, second]
    }
  }
}
