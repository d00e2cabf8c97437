import FlowModel

/// Hides values that must not be in logs: those of keys that look like secrets, however a link writes them.
public enum Redaction {
  /// What is in the place of a value.
  public static let mark = "[redacted]"

  /// The bytes of a link that are read; a log shows fewer.
  private static let byteLimit = 4_096
  /// How many links inside links, and escapes of escapes, are looked through; what is deeper is hidden whole.
  private static let depth = 4

  /// Whether the values under a key are hidden: it contains `token`, `password`, `auth`, `code` or a word like them, in
  /// any case.
  public static func hides(_ key: String) -> Bool {
    var key = key
    return key.withUTF8 { bytes in
      if bytes.allSatisfy({ $0 < 0x80 }) { return secretWords.contains { holds(bytes, $0) } }
      // A letter of another script may stand for one of ours in lower case.
      let text = String(decoding: bytes, as: UTF8.self).lowercased()
      return secretWords.contains { text.contains(String(decoding: $0, as: UTF8.self)) }
    }
  }

  private static let secretWords = [
    "token", "password", "passwd", "auth", "code", "secret", "credential", "signature", "session", "jwt", "apikey",
    "api_key", "api-key", "api.key",
  ].map { Array($0.utf8) }

  /// Whether ASCII bytes hold a word, whose letters are lower-case ones, in any case. Each parameter of each route is asked
  /// for.
  private static func holds(_ bytes: UnsafeBufferPointer<UInt8>, _ word: [UInt8]) -> Bool {
    guard bytes.count >= word.count else { return false }
    return (0...bytes.count - word.count).contains { start in
      word.indices.allSatisfy { place in
        let byte = bytes[start + place]
        return byte == word[place] || (byte | 0x20 == word[place] && word[place] >= UInt8(ascii: "a"))
      }
    }
  }

  /// The URL as it may be in a log: at most 256 characters, control characters visible. Hidden are user names, the
  /// values of such keys, and links inside that hold one.
  ///
  /// It takes any text, also one that no scanner accepts. `segments` gives the places of segments of a link that are hidden,
  /// too; it is asked for links inside as well.
  public static func forLog(_ url: String, hiding segments: (String) -> Set<Int> = { _ in [] }) -> String {
    var text = url.utf8.count > byteLimit ? String(decoding: url.utf8.prefix(byteLimit), as: UTF8.self) : url
    text = hidden(text, depth: depth, segments)
    text = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.isControl ? "\u{FFFD}" : $0 }))
    return text.count > 256 ? text.prefix(255) + "…" : text
  }

  /// Parameters as they may be in a log or a report: the values of such keys hidden at any depth, links as
  /// ``forLog(_:hiding:)`` shows them.
  public static func forLog(
    _ parameters: ValueObject, hiding segments: (String) -> Set<Int> = { _ in [] }
  ) -> ValueObject {
    var shown = ValueObject()
    for (key, value) in parameters { shown[key] = hides(key) ? .string(mark) : self.shown(value, segments) }
    return shown
  }

  /// Whether a log of parameters hides a value under this key, or a part of it.
  static func hidesPart(of value: Value, under key: String, hiding segments: (String) -> Set<Int>) -> Bool {
    if hides(key) { return true }
    return switch value {
    case .string(let text): hidden(text, depth: depth, segments) != text
    case .array(let values): values.contains { hidesPart(of: $0, under: "", hiding: segments) }
    case .object(let object): object.contains { hidesPart(of: $0.value, under: $0.key, hiding: segments) }
    default: false
    }
  }

  private static func shown(_ value: Value, _ segments: (String) -> Set<Int>) -> Value {
    switch value {
    case .string(let text): .string(forLog(text, hiding: segments))
    case .array(let values): .array(values.map { shown($0, segments) })
    case .object(let object): .object(forLog(object, hiding: segments))
    default: value
    }
  }
}

// MARK: - The parts of a link

extension Redaction {
  private static func hidden(_ url: String, depth: Int, _ hiding: (String) -> Set<Int>) -> String {
    let slashes = schemeEnd(of: url)
    let segments = slashes == nil ? [] : hiding(url)
    var text = ""
    var rest = url.unicodeScalars[...]
    // What is before the path: a scheme, and a user name that has no place there.
    if let slashes {
      rest = rest[slashes...]
      text += url[..<slashes]
      let end = rest.firstIndex { "/?#".unicodeScalars.contains($0) } ?? rest.endIndex
      if let at = rest[..<end].lastIndex(of: "@") {
        text += mark
        rest = rest[at...]
      }
    }
    var segment = isWebLink(url) ? -1 : 0
    var isPath = true
    while true {
      // A mark that combines with a separator is the beginning of what follows.
      let end = rest.firstIndex { "?&#;".unicodeScalars.contains($0) || (isPath && $0 == "/") } ?? rest.endIndex
      let item = Substring(rest[..<end])
      text += isPath && segments.contains(segment) && !item.isEmpty ? mark : hidden(item, depth: depth, hiding)
      guard end < rest.endIndex else { return text }
      if rest[end] == "/", !item.isEmpty || segment < 0 { segment += 1 }
      if "?#".unicodeScalars.contains(rest[end]) { isPath = false }
      text.unicodeScalars.append(rest[end])
      rest = rest[rest.index(after: end)...]
    }
  }

  /// One segment or item of a query: its value is hidden when its key says so, or when it holds a link that has
  /// something to hide.
  private static func hidden(_ item: Substring, depth: Int, _ hiding: (String) -> Set<Int>) -> String {
    guard let equals = item.utf8.firstIndex(of: ASCII.equals) else {
      return holdsSecret(String(item), depth, hiding) ? mark : String(item)
    }
    let value = item[item.utf8.index(after: equals)...]
    guard !hides(decoded(String(item[..<equals]))), !holdsSecret(String(value), depth, hiding) else {
      return item[..<equals] + "=" + mark
    }
    return String(item)
  }

  /// Whether a text, decoded, is a link or a list of items with something to hide.
  private static func holdsSecret(_ text: String, _ depth: Int, _ hiding: (String) -> Set<Int>) -> Bool {
    let isEscaped = text.utf8.contains { $0 == ASCII.percent || $0 == ASCII.equals || $0 == ASCII.at }
    guard isEscaped || schemeEnd(of: text) != nil else { return false }
    guard depth > 0 else { return true }
    let inner = PercentEncoding.decode(text)
    if inner == text, !text.utf8.contains(ASCII.equals), schemeEnd(of: text) == nil { return false }
    return hidden(inner, depth: depth - 1, hiding) != inner
  }

  /// A key without its escapes, escaped ones included.
  private static func decoded(_ key: String) -> String {
    var key = key
    for _ in 0..<depth {
      let next = PercentEncoding.decode(key)
      if next == key { break }
      key = next
    }
    return key
  }

  private static func isWebLink(_ url: String) -> Bool {
    ["https://", "http://"].contains {
      String(decoding: url.utf8.prefix($0.utf8.count), as: UTF8.self).lowercased() == $0
    }
  }

  /// The index after the first `://`, which a mark may combine with.
  private static func schemeEnd(of url: String) -> String.Index? {
    url.unicodeScalars.firstRange(of: "://".unicodeScalars)?.upperBound
  }
}

extension RouteTable {
  /// The URL as it may be in a log: as ``Redaction`` shows it, and without the path parameters whose names look like
  /// secrets, of the route that matches it or of those that nearly do.
  public func forLog(_ url: String) -> String {
    Redaction.forLog(policy.shown(url)) { hidesParameters ? hiddenSegments(of: $0) : [] }
  }

  /// The merged parameters as they may be in a log or a report: without what came in a fragment, too.
  public func forLog(_ parameters: RouteParameters) -> ValueObject {
    var shown = forLog(parameters.merged)
    for name in parameters.fragment.keys { shown[name] = .string(Redaction.mark) }
    return shown
  }

  /// Parameters as they may be in a log or a report, links inside as ``forLog(_:)-(String)`` shows them.
  public func forLog(_ parameters: ValueObject) -> ValueObject {
    Redaction.forLog(parameters) { hidesParameters ? hiddenSegments(of: $0) : [] }
  }

  /// Whether a parameter has a part that no log shows.
  public func hidesPart(of value: Value, under key: String) -> Bool {
    Redaction.hidesPart(of: value, under: key) { hidesParameters ? hiddenSegments(of: $0) : [] }
  }

  /// The segments of a URL that a route names like a secret.
  private func hiddenSegments(of url: String) -> Set<Int> {
    if case .match(let match) = lookUp(url) {
      return hidden(routes[match.routeIndex].pattern, in: match.url.segmentCount)
    }
    // It is not known which route was meant: every one that begins alike hides what it would.
    let path = Substring(url).drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }.prefix { !"?#".contains($0) }
    var segments = path.split(separator: "/").map { PercentEncoding.decode(String($0)).lowercased() }
    if url.lowercased().hasPrefix("https:"), !segments.isEmpty { segments.removeFirst() }
    return routes.reduce(into: []) { places, route in
      if case .literal(let text)? = route.pattern.segments.first, text.lowercased() != segments.first { return }
      places.formUnion(hidden(route.pattern, in: segments.count))
    }
  }

  private func hidden(_ pattern: RoutePattern, in count: Int) -> Set<Int> {
    var places: Set<Int> = []
    var isBehindRest = false
    for (place, segment) in pattern.segments.enumerated() {
      switch segment {
      case .rest: isBehindRest = true
      case .parameter(let name, _, _) where Redaction.hides(name):
        places.insert(isBehindRest ? count - (pattern.segments.count - place) : place)
      default: break
      }
    }
    return places
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isControl: Bool { generalCategory == .control || generalCategory == .format }
}
