/// Searches for a sequence in linear time (Knuth, Morris, Pratt 1977).
struct SequenceSearch<Element: Equatable> {
  private let part: [Element]
  private let borders: [Int]

  /// Prepares the search for `part`, which must not be empty.
  init(_ part: [Element]) {
    var borders = [0]
    borders.reserveCapacity(part.count)
    var matched = 0
    for element in part.dropFirst() {
      while matched > 0, part[matched] != element { matched = borders[matched - 1] }
      if part[matched] == element { matched += 1 }
      borders.append(matched)
    }
    self.part = part
    self.borders = borders
  }

  /// Returns the first index from `start` on at which the sequence occurs in `text`, or nil if it does not occur there.
  func firstIndex(in text: [Element], from start: Int = 0) -> Int? {
    var matched = 0
    for index in start..<text.count {
      while matched > 0, part[matched] != text[index] { matched = borders[matched - 1] }
      if part[matched] == text[index] { matched += 1 }
      if matched == part.count { return index + 1 - part.count }
    }
    return nil
  }
}
