import FlowModel

/// All acyclic graphs with a few steps. Graphs that differ only in the numbering of their steps appear once.
enum SmallGraphs {
  /// Returns the graphs with `count` steps, as the dependencies of each step. A step depends only on earlier ones.
  ///
  /// The numbers of graphs with 1 to 5 steps are 1, 2, 6, 31 and 302 (OEIS A003087).
  static func all(steps count: Int) -> [[[Int]]] {
    let pairs = (0..<count).flatMap { later in (0..<later).map { (need: $0, step: later) } }
    let permutations = permutations(of: Array(0..<count))
    var seen: Set<Int> = []
    var graphs: [[[Int]]] = []
    for mask in 0..<(1 << pairs.count) {
      let edges = pairs.indices.filter { mask >> $0 & 1 == 1 }.map { pairs[$0] }
      // A graph is represented by the smallest of its possible numberings.
      let canonical = permutations.map { names in
        edges.reduce(0) { $0 | 1 << (names[$1.need] * count + names[$1.step]) }
      }.min()!
      guard seen.insert(canonical).inserted else { continue }
      graphs.append((0..<count).map { step in edges.filter { $0.step == step }.map(\.need) })
    }
    return graphs
  }

  private static func permutations(of items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.flatMap { first in permutations(of: items.filter { $0 != first }).map { [first] + $0 } }
  }
}
