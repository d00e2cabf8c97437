/// A list of ascending outbox positions in short chunks. Machines are copied at every event, and a change to a copied
/// list then copies one chunk and the list of chunks, not everything.
struct PositionList: Sendable, Sequence {
  private var pieces: [[Int64]] = []
  private(set) var count = 0

  /// The maximum number of positions in a chunk.
  private static var longestPiece: Int { 256 }

  var isEmpty: Bool { count == 0 }
  var first: Int64? { pieces.first?.first }
  var last: Int64? { pieces.last?.last }

  func makeIterator() -> FlattenSequence<[[Int64]]>.Iterator { pieces.joined().makeIterator() }

  mutating func insert(_ position: Int64) {
    guard let last, position <= last else {
      count += 1
      if let piece = pieces.indices.last, pieces[piece].count < Self.longestPiece {
        pieces[piece].append(position)
      } else {
        pieces.append([position])
      }
      return
    }
    let piece = self.piece(of: position)
    let place = Self.place(in: pieces[piece]) { $0 >= position }
    guard pieces[piece][place] != position else { return }
    count += 1
    pieces[piece].insert(position, at: place)
    if pieces[piece].count > Self.longestPiece {
      let half = pieces[piece].count / 2
      pieces.insert(Array(pieces[piece][half...]), at: piece + 1)
      pieces[piece].removeSubrange(half...)
    }
  }

  mutating func remove(_ position: Int64) {
    guard let last, position <= last else { return }
    let piece = self.piece(of: position)
    let place = Self.place(in: pieces[piece]) { $0 >= position }
    guard pieces[piece][place] == position else { return }
    count -= 1
    pieces[piece].remove(at: place)
    if pieces[piece].isEmpty { pieces.remove(at: piece) }
  }

  /// Returns the index of the first chunk whose last position is at or after `position`.
  private func piece(of position: Int64) -> Int { Self.place(in: pieces) { ($0.last ?? .min) >= position } }

  /// Returns the first index whose element satisfies `isReached`, by binary search. All elements after it must satisfy
  /// `isReached`, too.
  private static func place<Element>(in elements: [Element], _ isReached: (Element) -> Bool) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if isReached(elements[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
