/// The encoded form of a secret, or of a part of one.
struct EncodedPart: Hashable, Sendable {
  /// The part of the encoded text that was found: all of it, its first bytes or its last bytes.
  enum Side: String, Sendable {
    case whole, first, last
  }

  var bytes: [UInt8]
  var side: Side

  /// Returns true if an encoded text has these bytes on this side.
  func isPart(of encoded: [UInt8]) -> Bool {
    switch side {
    case .whole: encoded == bytes
    case .first: encoded.starts(with: bytes)
    case .last: encoded.suffix(bytes.count).elementsEqual(bytes)
    }
  }
}

// A placeholder contains the name of a secret's form, so that the form can be restored. The name is the part of the
// secret, followed by the encodings from the innermost to the outermost, as in `line2.json+base64.1`.
extension SecretMask {
  /// The name for forms that cannot be restored.
  private static let unknown = "unknown"
  /// The maximum number of names in the cache.
  private static let mostNames = 1_000

  /// Returns the name of the secret in a match and the name of its form.
  func name(
    of match: SecretSearch.Match, in bytes: UnsafeBufferPointer<UInt8>, side: EncodedPart.Side
  ) -> (secret: String, form: String, isUnknown: Bool) {
    let found = EncodedPart(bytes: Array(bytes[match.range]), side: side)
    let name = names.withLock { $0[found] } ?? newName(of: match, found)
    let words = name.split(separator: "/", maxSplits: 1).map(String.init)
    return (words[0], words[1], words[1] == Self.unknown)
  }

  private func newName(of match: SecretSearch.Match, _ found: EncodedPart) -> String {
    let candidates = candidates(of: match)
    var name = "\(candidates.first?.secret ?? "")/\(Self.unknown)"
    search: for count in 0...EncodedPosition.levels {
      for part in candidates {
        for layers in Self.sequences(of: match, count: count) {
          let head = Self.beginning(of: part.part.bytes)
          guard let chain = Self.chain(from: part.part.bytes, head: head, layers[...], to: found) else { continue }
          name = "\(part.secret)/\(Self.form(part.part.name, chain))"
          break search
        }
      }
    }
    names.withLock { names in
      if names.count >= Self.mostNames { names = [:] }
      names[found] = name
    }
    return name
  }

  private func candidates(of match: SecretSearch.Match) -> [Part] {
    let needles = searches.withLock { searches in
      searches.first { $0.encodings == match.encodings }?.needles(of: match) ?? []
    }
    var seen: Set<[UInt8]> = []
    return parts.filter { needles.contains($0.part.bytes) && seen.insert($0.part.bytes).inserted }
  }

  /// Returns the name of the secret in a match, or nil if it is unknown.
  func secret(of match: SecretSearch.Match) -> String? { candidates(of: match).first?.secret }

  /// Returns all possible chains of `count` encodings. For each encoding of a chain, from the innermost to the
  /// outermost, an element is true if it is base64.
  private static func sequences(of match: SecretSearch.Match, count: Int) -> Set<[Bool]> {
    var sequences: Set<[Bool]> = []
    for position in match.positions {
      var shorter: Set<[Bool]> = [position.base64Layers]
      for _ in count..<EncodedPosition.levels {
        // A layer of escapes may have passed on all bytes unchanged, so the chain may also lack it.
        shorter = Set(
          shorter.flatMap { layers in
            layers.indices.filter { !layers[$0] }.map { index in
              layers.enumerated().filter { $0.offset != index }.map(\.element)
            }
          })
      }
      sequences.formUnion(shorter)
    }
    return sequences
  }

  /// Returns the first 24 bytes, and the rest of the character in which they end.
  private static func beginning(of bytes: [UInt8]) -> [UInt8] {
    var count = min(24, bytes.count)
    while count < bytes.count, bytes[count] & 0xC0 == 0x80 { count += 1 }
    return Array(bytes.prefix(count))
  }

  /// Returns the names of the encodings that convert `bytes` to the text that was found, or nil if no chain of
  /// encodings does. `head` is the encoded beginning, which quickly excludes most encodings.
  private static func chain(
    from bytes: [UInt8], head: [UInt8], _ layers: ArraySlice<Bool>, to found: EncodedPart
  ) -> [String]? {
    guard let isBase64 = layers.first else { return found.isPart(of: bytes) ? [] : nil }
    var seen: Set<[UInt8]> = isBase64 ? [] : [bytes]
    for encoding in SecretEncoding.all where encoding.isBase64 == isBase64 {
      var head = encoding(head)
      // The last characters depend on the bytes that follow.
      if isBase64 { head.removeLast(min(3, head.count)) }
      if layers.count == 1, found.side != .last, !zip(head, found.bytes).allSatisfy({ $0 == $1 }) { continue }
      let encoded = encoding(bytes)
      guard seen.insert(encoded).inserted else { continue }
      if let rest = chain(from: encoded, head: head, layers.dropFirst(), to: found) { return [encoding.name] + rest }
    }
    return nil
  }

  private static func form(_ part: String, _ chain: [String]) -> String {
    guard !chain.isEmpty else { return part }
    let chain = chain.joined(separator: "+")
    // For example, `line2.text` in JSON is named `line2.json`.
    return part.hasSuffix("text") ? part.dropLast(4) + chain : "\(part)+\(chain)"
  }

  /// Returns a form of a secret. Returns nil if the secret or the line in the form's name does not exist, or if an
  /// encoding is unknown.
  func encoded(_ form: String, of secret: String) -> [UInt8]? {
    var line = ""
    var chain = form[...]
    if form.hasPrefix("line"), let point = form.firstIndex(of: ".") {
      line = String(form[...point])
      chain = form[form.index(after: point)...]
    }
    var names = chain.split(separator: "+").map(String.init)
    func part(_ name: String) -> [UInt8]? {
      parts.first { $0.secret == secret && $0.part.name == name }?.part.bytes
    }
    var bytes: [UInt8]?
    if let first = names.first, let part = part(line + first) {
      bytes = part
      names.removeFirst()
    } else {
      bytes = part(line + "text")
    }
    for name in names {
      guard let encoding = SecretEncoding.byName[name] else { return nil }
      bytes = bytes.map { encoding($0) }
    }
    return bytes
  }
}
