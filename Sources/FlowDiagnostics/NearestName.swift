/// Finds the name that was probably meant by a misspelled one.
package enum NearestName {
  /// Returns the candidate that is most similar to `name`, or nil if none is similar.
  ///
  /// A candidate is similar if it differs only in case, `-`, `_` and `.`. It is also similar if a few letters are
  /// inserted, omitted, changed or swapped with a neighbor: at most a third of the letters of the longer name, or one
  /// if that is more, but not all. Names of more than 128 letters are not similar to any other. Among equally similar
  /// candidates, the first is returned. A candidate that equals `name` is ignored.
  package static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
    let typed = Array(name.unicodeScalars.prefix(longest + 1))
    guard typed.count <= longest else { return nil }
    var rows = Rows()
    var letters: [Unicode.Scalar] = []
    var best: (candidate: String, distance: Int)?
    for candidate in candidates where candidate != name {
      letters.removeAll(keepingCapacity: true)
      letters.append(contentsOf: candidate.unicodeScalars.prefix(longest + 1))
      guard letters.count <= longest else { continue }
      if isSame(typed, letters) { return candidate }
      let allowed = max(1, max(typed.count, letters.count) / 3)
      guard abs(letters.count - typed.count) <= min(allowed, (best?.distance ?? .max) - 1) else { continue }
      let distance = rows.distance(typed, letters)
      if distance <= allowed, distance < (best?.distance ?? .max), distance < max(typed.count, letters.count) {
        best = (candidate, distance)
      }
    }
    return best?.candidate
  }

  /// Returns a question such as `did you mean 'fetch'?`, or nil if no candidate is similar.
  package static func question(_ name: String, among candidates: some Sequence<String>) -> String? {
    Correction(name, among: candidates)?.question
  }

  /// Returns the number of letters that must be inserted, omitted, changed or swapped with a neighbor to turn one name
  /// into the other. Only the first 128 letters of each are compared.
  package static func distance(_ left: String, _ right: String) -> Int {
    var rows = Rows()
    return rows.distance(Array(left.unicodeScalars.prefix(longest)), Array(right.unicodeScalars.prefix(longest)))
  }

  private static let longest = 128

  /// True if two names differ only in case, `-`, `_` and `.`.
  private static func isSame(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Bool {
    var position = 0
    for letter in left where !isSeparator(letter) {
      while position < right.count, isSeparator(right[position]) { position += 1 }
      guard position < right.count, isSameLetter(letter, right[position]) else { return false }
      position += 1
    }
    while position < right.count, isSeparator(right[position]) { position += 1 }
    return position == right.count
  }

  private static func isSeparator(_ letter: Unicode.Scalar) -> Bool {
    letter == "-" || letter == "_" || letter == "."
  }

  private static func isSameLetter(_ left: Unicode.Scalar, _ right: Unicode.Scalar) -> Bool {
    if left == right { return true }
    if left.isASCII, right.isASCII { return left.value | 0x20 == right.value | 0x20 && left.properties.isAlphabetic }
    return left.properties.lowercaseMapping == right.properties.lowercaseMapping
  }

  /// The rows of the distance table. They are allocated once for all candidates.
  private struct Rows {
    private var beforeLast = [Int](repeating: 0, count: longest + 1)
    private var last = [Int](repeating: 0, count: longest + 1)
    private var current = [Int](repeating: 0, count: longest + 1)

    /// Returns the optimal string alignment distance, which is the Levenshtein distance with swapped neighbors as a
    /// single step.
    mutating func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
      for column in 0...right.count { last[column] = column }
      for row in 0..<left.count {
        current[0] = row + 1
        for column in 0..<right.count {
          let isSame = left[row] == right[column]
          var cost = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
          if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
            cost = min(cost, beforeLast[column - 1] + 1)
          }
          current[column + 1] = cost
        }
        swap(&beforeLast, &last)
        swap(&last, &current)
      }
      return last[right.count]
    }
  }
}
