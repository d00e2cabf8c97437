/// Finds what somebody probably meant to type.
public enum NearestName {
  /// The candidate that `name` was most likely meant to be, or nil when none is near.
  ///
  /// Near means: equal but for case, `-`, `_` and `.`; or at most a third of the letters (at least one) inserted, left
  /// out, changed or swapped with their neighbour. Of equally near ones the first counts.
  public static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
    let typed = Array(name.unicodeScalars.prefix(longest + 1))
    guard typed.count <= longest else { return nil }
    let plainName = plain(name)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates where candidate != name {
      if plain(candidate) == plainName { return candidate }
      let letters = Array(candidate.unicodeScalars.prefix(longest + 1))
      let allowed = max(1, max(typed.count, letters.count) / 3)
      guard letters.count <= longest, abs(letters.count - typed.count) <= min(allowed, (best?.distance ?? .max) - 1)
      else { continue }
      let distance = distance(typed, letters)
      if distance <= allowed, distance < (best?.distance ?? .max), distance < max(typed.count, letters.count) {
        best = (candidate, distance)
      }
    }
    return best?.candidate
  }

  /// `did you mean 'fetch'?`, or nil when none is near.
  public static func question(_ name: String, among candidates: some Sequence<String>) -> String? {
    of(name, among: candidates).map { "did you mean '\($0)'?" }
  }

  private static let longest = 128

  private static func plain(_ name: String) -> String {
    String(name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != "." })
  }

  /// The optimal-string-alignment distance: Levenshtein's with swapped neighbours as one step.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      current.reserveCapacity(right.count + 1)
      for column in 0..<right.count {
        let isSame = left[row] == right[column]
        var cost = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
