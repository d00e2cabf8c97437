import FlowModel

/// Finds secrets in text, even if they are encoded several times.
///
/// ``SecretScan`` finds the bytes where a secret may start, with about one table lookup per byte. From each of them,
/// ``SecretWalks`` reads the text through the encodings (``EncodedPosition``). Both are automata that create their
/// states on demand. If there are too many states, all are removed and created again.
struct SecretSearch: Sendable {
  /// A secret that was found.
  struct Match: Sendable {
    var range: Range<Int>
    /// The positions at the end of the match. They determine the encodings.
    var positions: [EncodedPosition]
    /// The maximum number of nested encodings in the search that found the match.
    var encodings: Int
    /// True if only the beginning of the secret was compared, because no steps were left.
    var isAssumed = false
    /// True if the match is the end of a needle whose beginning was cut off.
    var isEnd = false
  }

  /// The texts that are searched for.
  private let needles: Needles
  /// The suffixes of the texts. Nil until they are needed.
  private var ends: Needles?
  /// The positions after the first bytes of a text that begins inside a needle. They are cached, because many searches
  /// begin with the same bytes.
  private var beginnings: [UInt64: (positions: [EncodedPosition], accepting: [EncodedPosition])] = [:]
  /// The maximum number of nested encodings.
  let encodings: Int
  private var scan: SecretScan

  /// Creates a search for UTF-8 texts. `encodings` is 1 or ``EncodedPosition/levels``.
  init(_ texts: [[UInt8]], encodings: Int) {
    needles = Needles(texts)
    self.encodings = encodings
    scan = SecretScan(needles, encodings: encodings)
  }

  /// Returns the longest match at each start, in the order of the starts. Overlapping matches that are only assumed are
  /// merged.
  ///
  /// - Parameter isCut: True if the text was cut off, so that the beginning of a needle at its end is also a match.
  mutating func matches(in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool = false) -> [Match] {
    // A text that is shorter than this contains no needle.
    guard bytes.count >= Limits.secretCharacters || isCut else { return [] }
    var found: [Match] = []
    scan.walks.begin(bytes)
    for start in scan.starts(in: bytes, isCut: isCut) {
      guard let match = scan.walks.longest(in: bytes, from: start, isCut: isCut) else { continue }
      if match.isAssumed, let last = found.last, last.isAssumed, match.range.lowerBound < last.range.upperBound {
        found[found.count - 1].range = last.range.lowerBound..<max(last.range.upperBound, match.range.upperBound)
      } else {
        found.append(match)
      }
    }
    return found
  }

  /// Returns the ranges of all matches, in order. Overlapping and adjacent ranges are merged.
  mutating func ranges(in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool) -> [Range<Int>] {
    guard bytes.count >= Limits.secretCharacters || isCut else { return [] }
    var ranges: [Range<Int>] = []
    scan.walks.begin(bytes)
    for start in scan.starts(in: bytes, isCut: isCut) {
      guard let match = scan.walks.longest(in: bytes, from: start, isCut: isCut) else { continue }
      ranges.merge(match.range)
    }
    return ranges
  }

  /// The maximum length of a cached beginning, in bytes. Longer beginnings are rarely repeated.
  private static let keptBytes = 4
  /// The maximum number of beginnings in the cache.
  private static let mostBeginnings = 4_000

  /// Returns the longest match that starts inside a needle and extends to the needle's end, or nil if there is none.
  mutating func ending(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Match? {
    let needles = ends ?? Needles(endsOf: needles)
    ends = needles
    if beginnings.count > Self.mostBeginnings { beginnings = [:] }
    var positions = EncodedPosition.starts(encodings: encodings, isInside: true)
    var match: Match?
    var key: UInt64 = 1
    var index = start
    while index < bytes.count, !positions.isEmpty {
      let isKept = index - start < Self.keptBytes
      key = isKept ? key << 8 | UInt64(bytes[index]) : 0
      let accepting: [EncodedPosition]
      if isKept, let known = beginnings[key] {
        (positions, accepting) = known
        index += 1
      } else {
        let plain =
          isKept || positions.count > 1 ? 0 : positions[0].skipPlain(in: bytes, from: index, needles)
        if plain == 0 {
          var next: [EncodedPosition] = []
          for position in positions { position.step(EncodedPosition.levels, bytes[index], needles, into: &next) }
          positions = next.count > 1 ? Array(Set(next)) : next
        }
        index += max(1, plain)
        accepting = positions.filter {
          $0.accepts(EncodedPosition.levels, needles)
            && (!$0.isBase64 || index - start >= Limits.secretCharacters)
        }
        if isKept { beginnings[key] = (positions, accepting) }
      }
      if !accepting.isEmpty {
        match = Match(range: start..<index, positions: accepting, encodings: encodings, isEnd: true)
      }
    }
    return match
  }

  /// Returns the needles that may be in a match.
  func needles(of match: Match) -> Set<[UInt8]> {
    guard let needles = match.isEnd ? ends : needles else { return [] }
    var found: Set<[UInt8]> = []
    for position in match.positions {
      // Several needles may begin with the bytes that were read.
      for index in position.candidates where index < needles.count { found.insert(Array(needles.whole(index))) }
    }
    return found
  }
}

extension [Range<Int>] {
  /// Adds a range that starts no earlier than the last one. It is merged with the last one if they overlap or are
  /// adjacent.
  mutating func merge(_ range: Range<Int>) {
    if let last, range.lowerBound <= last.upperBound {
      self[count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
    } else {
      append(range)
    }
  }
}
