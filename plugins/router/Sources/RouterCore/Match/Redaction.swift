import FlowModel

/// Replaces secrets in links and parameters before they are logged. A value is a secret if its key looks like a
/// secret's name.
public enum Redaction {
  /// The text that replaces a hidden value.
  public static let mark = "[redacted]"

  /// The maximum number of bytes of a link that are inspected. Logs show fewer.
  private static let byteLimit = 4_096
  /// The maximum depth of nested links and escapes that are inspected. Anything nested more deeply counts as a secret.
  private static let depth = 4

  /// True if values under this key are hidden: the key contains `token`, `password`, `auth`, `code` or a similar word,
  /// ignoring case.
  public static func hides(_ key: String) -> Bool {
    var key = key
    return key.withUTF8 { bytes in
      if bytes.allSatisfy({ $0 < 0x80 }) { return secretWords.contains { holds(bytes, $0) } }
      // Lowercasing can turn a non-ASCII letter into an ASCII one, such as the Kelvin sign into `k`.
      let text = String(decoding: bytes, as: UTF8.self).lowercased()
      return secretWords.contains { text.contains(String(decoding: $0, as: UTF8.self)) }
    }
  }

  private static let secretWords = [
    "token", "password", "passwd", "auth", "code", "secret", "credential", "signature", "session", "jwt", "apikey",
    "api_key", "api-key", "api.key",
  ].map { Array($0.utf8) }

  /// True if `bytes`, which are ASCII, contain the lower-case `word`, ignoring case. Called for each parameter of each
  /// route, so it must be fast.
  private static func holds(_ bytes: UnsafeBufferPointer<UInt8>, _ word: [UInt8]) -> Bool {
    guard bytes.count >= word.count else { return false }
    return (0...bytes.count - word.count).contains { start in
      word.indices.allSatisfy { place in
        let byte = bytes[start + place]
        return byte == word[place] || (byte | 0x20 == word[place] && word[place] >= UInt8(ascii: "a"))
      }
    }
  }

  /// Returns a URL for a log, with at most 256 characters and with control characters replaced. User names, values of
  /// secret keys and nested links that contain a secret are hidden.
  ///
  /// Accepts any text, even if it is not a valid URL. `segments` returns the positions of the path segments to hide in
  /// a link, and is called for nested links too.
  public static func forLog(_ url: String, hiding segments: (String) -> Set<Int> = { _ in [] }) -> String {
    var text = url.utf8.count > byteLimit ? String(decoding: url.utf8.prefix(byteLimit), as: UTF8.self) : url
    text = hidden(text, depth: depth, segments)
    text = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.isControl ? "\u{FFFD}" : $0 }))
    return text.count > 256 ? text.prefix(255) + "…" : text
  }

  /// Returns parameters for a log or a report. Values of secret keys are hidden at any depth, and links are redacted as
  /// by ``forLog(_:hiding:)``.
  public static func forLog(
    _ parameters: ValueObject, hiding segments: (String) -> Set<Int> = { _ in [] }
  ) -> ValueObject {
    var shown = ValueObject()
    for (key, value) in parameters { shown[key] = hides(key) ? .string(mark) : self.shown(value, segments) }
    return shown
  }

  /// True if ``forLog(_:hiding:)`` hides the value under this key, or a part of it.
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

// MARK: - Parts of a link

extension Redaction {
  private static func hidden(_ url: String, depth: Int, _ hiding: (String) -> Set<Int>) -> String {
    let slashes = schemeEnd(of: url)
    let segments = slashes == nil ? [] : hiding(url)
    var text = ""
    var rest = url.unicodeScalars[...]
    // The text before the path is the scheme and the host, possibly with a user name, which is hidden.
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
      // Scalars are compared, because a combining mark after a separator would otherwise hide the separator.
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

  /// Redacts a path segment or a query item. Its value is hidden if its key is secret, or if it contains a link with a
  /// secret.
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

  /// True if the decoded text is a link or a list of items that contains a secret.
  private static func holdsSecret(_ text: String, _ depth: Int, _ hiding: (String) -> Set<Int>) -> Bool {
    let isEscaped = text.utf8.contains { $0 == ASCII.percent || $0 == ASCII.equals || $0 == ASCII.at }
    guard isEscaped || schemeEnd(of: text) != nil else { return false }
    guard depth > 0 else { return true }
    let inner = PercentEncoding.decode(text)
    if inner == text, !text.utf8.contains(ASCII.equals), schemeEnd(of: text) == nil { return false }
    return hidden(inner, depth: depth - 1, hiding) != inner
  }

  /// Decodes the percent escapes of a key, including nested ones.
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

  /// Returns the index after the first `://`. Scalars are compared, because a combining mark may follow the slashes.
  private static func schemeEnd(of url: String) -> String.Index? {
    url.unicodeScalars.firstRange(of: "://".unicodeScalars)?.upperBound
  }
}

extension RouteTable {
  /// Returns a URL for a log, redacted by ``Redaction``. Path parameters with secret names are hidden too: those of the
  /// matching route or, if none matches, of similar routes.
  public func forLog(_ url: String) -> String {
    Redaction.forLog(policy.shown(url)) { hidesParameters ? hiddenSegments(of: $0) : [] }
  }

  /// Returns the merged parameters for a log or a report. Those of the fragment are hidden.
  public func forLog(_ parameters: RouteParameters) -> ValueObject {
    var shown = forLog(parameters.merged)
    for name in parameters.fragment.keys { shown[name] = .string(Redaction.mark) }
    return shown
  }

  /// Returns parameters for a log or a report. Nested links are redacted as by ``forLog(_:)-(String)``.
  public func forLog(_ parameters: ValueObject) -> ValueObject {
    Redaction.forLog(parameters) { hidesParameters ? hiddenSegments(of: $0) : [] }
  }

  /// True if a log hides a part of this parameter or all of it.
  public func hidesPart(of value: Value, under key: String) -> Bool {
    Redaction.hidesPart(of: value, under: key) { hidesParameters ? hiddenSegments(of: $0) : [] }
  }

  /// Returns the indices of the segments of a URL that belong to a parameter with a secret name.
  private func hiddenSegments(of url: String) -> Set<Int> {
    if case .match(let match) = lookUp(url) {
      return hidden(routes[match.routeIndex].pattern, in: match.url.segmentCount)
    }
    // No route matches, so the secret segments of every route with the same beginning are hidden.
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
