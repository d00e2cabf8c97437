/// How far two texts are apart, for suggestions.
public enum EditDistance {
  /// The least number of characters to insert, remove, replace or exchange with their neighbor to make one text the
  /// other, without regard to case.
  public static func between(_ left: some StringProtocol, _ right: some StringProtocol) -> Int {
    let (left, right) = (Array(left.lowercased()), Array(right.lowercased()))
    var rows = [Array(0...right.count)]
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let replaced = rows[row][column] + (left[row] == right[column] ? 0 : 1)
        var least = min(rows[row][column + 1] + 1, current[column] + 1, replaced)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, rows[row - 1][column - 1] + 1)
        }
        current.append(least)
      }
      rows.append(current)
    }
    return rows[left.count][right.count]
  }

  /// The candidate nearest to `text`, where one is near: at most a third of its length away, and at least one.
  public static func nearest(to text: String, among candidates: [String]) -> String? {
    let allowed = max(1, text.count / 3)
    return candidates.map { (between(text, $0), $0) }.filter { $0.0 <= allowed }.min { $0.0 < $1.0 }?.1
  }
}
