import FlowDiagnostics
import FlowModel

// The run store contains placeholders such as `{secret:token/text/24}` in place of secrets. A resumed run reads its
// secrets again and inserts them. Text that looks like the beginning of a placeholder is escaped.
extension SecretMask {
  private static let begin = Array("{secret:".utf8)
  /// The byte that is inserted after text that looks like the beginning of a placeholder.
  private static let escape = UInt8(ascii: "}")

  /// The error for a placeholder that cannot be replaced: the secret or its named line does not exist, or the form of
  /// the secret is unknown.
  package struct MissingSecret: Error, Sendable, Hashable {
    package var name: String

    package init(name: String) { self.name = name }
  }

  /// Returns the text with placeholders in place of secrets.
  func withPlaceholders(_ text: String) -> String { placeholders(in: text).text }

  /// Returns the text with placeholders in place of secrets. `unnamed` is the first secret whose form has no name, so
  /// that its placeholder cannot be replaced later.
  private func placeholders(in text: String) -> (text: String, unnamed: String?) {
    // The mask can be empty if the run may still receive a secret, such as a link.
    if parts.isEmpty, !text.utf8.contains(Self.begin[0]) { return (text, nil) }
    var text = text
    var result: [UInt8] = []
    var unnamed: String?
    text.withUTF8 { bytes in
      let matches = matches(in: bytes)
      let parts = partsAtGaps(in: bytes)
      guard !matches.isEmpty || !parts.isEmpty || bytes.contains(Self.begin[0]) else { return }
      var found = parts.map { ($0.match, $0.isBeginning ? EncodedPart.Side.first : .last) }
      found += matches.map { ($0, .whole) }
      found.sort { ($0.0.range.lowerBound, $1.0.range.upperBound) < ($1.0.range.lowerBound, $0.0.range.upperBound) }
      var start = 0
      func copy(to end: Int) {
        while start < end {
          if bytes[start] == Self.begin[0], bytes[start...].starts(with: Self.begin) {
            result += Self.begin + [Self.escape]
            start += Self.begin.count
          } else {
            result.append(bytes[start])
            start += 1
          }
        }
      }
      for (match, side) in found where match.range.lowerBound >= start {
        copy(to: match.range.lowerBound)
        if start > match.range.lowerBound { continue }
        let name = name(of: match, in: bytes, side: side)
        if name.isUnknown { unnamed = unnamed ?? name.secret }
        let suffix = side == .whole ? "" : "/\(side.rawValue)"
        result += Self.begin + Array("\(name.secret)/\(name.form)/\(match.range.count)\(suffix)}".utf8)
        start = match.range.upperBound
      }
      copy(to: bytes.count)
    }
    return (result.isEmpty ? text : String(decoding: result, as: UTF8.self), unnamed)
  }

  /// Returns the text with its placeholders replaced by the secrets in `mask`. Throws if a placeholder cannot be
  /// replaced.
  static func filled(_ text: String, by mask: SecretMask?) throws(MissingSecret) -> String {
    guard text.utf8.contains(begin[0]), text.contains("{secret:") else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      guard bytes[index] == begin[0], bytes[index...].starts(with: begin) else {
        result.append(bytes[index])
        index += 1
        continue
      }
      index += begin.count
      guard let close = bytes[index...].firstIndex(of: escape) else {
        result += begin
        continue
      }
      if close == index {
        result += begin
      } else {
        let words = String(decoding: bytes[index..<close], as: UTF8.self).split(separator: "/")
        guard words.count > 1, let encoded = mask?.encoded(String(words[1]), of: String(words[0])) else {
          throw MissingSecret(name: words.first.map(String.init) ?? "")
        }
        let count = words.count > 2 ? Int(words[2]) ?? 0 : 0
        switch words.count > 3 ? words[3] : "" {
        case "first": result += encoded.prefix(count)
        case "last": result += encoded.suffix(count)
        default: result += encoded
        }
      }
      index = close + 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns an object with placeholders in place of the secrets in its texts.
  package func withPlaceholders(_ object: ValueObject) -> ValueObject {
    var result = ValueObject()
    for (key, value) in object { result[key] = withPlaceholders(value) }
    return result
  }

  private func withPlaceholders(_ value: Value) -> Value {
    switch value {
    case .string(let text): .string(withPlaceholders(text))
    case .array(let values): .array(values.map { withPlaceholders($0) })
    case .object(let object): .object(withPlaceholders(object))
    default: value
    }
  }

  /// Returns an object with its placeholders replaced by the secrets in `mask`. A text becomes null if its missing
  /// secret came with an event or in an answer. Throws if any other placeholder cannot be replaced.
  package static func filled(_ object: ValueObject, by mask: SecretMask?) throws(MissingSecret) -> ValueObject {
    var result = ValueObject()
    for (key, value) in object { result[key] = try filled(value, by: mask) }
    return result
  }

  private static func filled(_ value: Value, by mask: SecretMask?) throws(MissingSecret) -> Value {
    switch value {
    case .string(let text):
      do throws(MissingSecret) {
        return .string(try filled(text, by: mask))
      } catch {
        guard error.name.hasPrefix(eventPrefix) || error.name.hasPrefix(answerPrefix) else { throw error }
        return .null
      }
    case .array(let values):
      var result: [Value] = []
      for value in values { result.append(try filled(value, by: mask)) }
      return .array(result)
    case .object(let object): return .object(try filled(object, by: mask))
    default: return value
    }
  }

  /// Returns the name of a secret in a form that no placeholder can represent: it is interrupted by spaces, line breaks
  /// or control characters, or it has several encodings at once. Returns nil if there is none.
  package func spreadSecret(in object: ValueObject) -> String? {
    if parts.isEmpty { return nil }
    for (_, value) in object { if let name = spreadSecret(in: value) { return name } }
    return nil
  }

  private func spreadSecret(in value: Value) -> String? {
    switch value {
    case .string(let text): spreadSecret(in: text)
    case .array(let values): values.lazy.compactMap { self.spreadSecret(in: $0) }.first
    case .object(let object): spreadSecret(in: object)
    default: nil
    }
  }

  private func spreadSecret(in text: String) -> String? {
    let (withPlaceholders, unnamed) = placeholders(in: text)
    if let unnamed { return unnamed }
    if let name = overprintedSecret(in: withPlaceholders) { return name }
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let compact = withPlaceholders.utf8.filter { !blanks.contains($0) }
    guard compact.count < withPlaceholders.utf8.count else { return nil }
    return compact.withUnsafeBufferPointer { bytes in
      matches(in: bytes).first { $0.range.count >= Self.leastSpreadBytes }.flatMap { secret(of: $0) }
    }
  }

  /// Returns the name of a secret that a terminal would show, or that was printed with control characters inside it.
  /// Returns nil if there is none.
  private func overprintedSecret(in text: String) -> String? {
    guard CommandText.isNeeded(for: text) else { return nil }
    let printed = CommandText(text)
    for form in [printed.printed, printed.shown] {
      let match = form.bytes.withUnsafeBufferPointer { matches(in: $0).first }
      if let match { return secret(of: match) }
    }
    return nil
  }

  /// The minimum length in bytes of a secret that is searched for in text without white space. A shorter secret would
  /// appear there by chance.
  private static let leastSpreadBytes = 8
}
