// What is written down has marks instead of secrets, which say what stood there: `{secret:token/text/24}`. A run that goes
// on is given its secrets anew and fills them in again. What looks like the beginning of a mark is escaped.
extension SecretMask {
  private static let begin = Array("{secret:".utf8)
  /// What follows the beginning where it is no mark.
  private static let escape = UInt8(ascii: "}")

  /// A mark that cannot be filled in: the secret it stands for is not there, or has no such line any more.
  public struct MissingSecret: Error, Sendable, Hashable {
    /// The secret.
    public var name: String

    /// The secret of this name.
    public init(name: String) { self.name = name }
  }

  /// The text with a mark in the place of each secret.
  func marked(_ text: String) -> String {
    var text = text
    var result: [UInt8] = []
    var start = 0
    text.withUTF8 { bytes in
      var index = 0
      let parts = Dictionary(
        partsAtGaps(in: bytes).map { ($0.range.lowerBound, $0) }, uniquingKeysWith: { first, _ in first })
      while index < bytes.count {
        if let part = parts[index] {
          let word = part.isBeginning ? "first" : "last"
          result += bytes[start..<index]
          result += Self.begin + Array("\(patterns[part.pattern].name)/\(part.range.count)/\(word)}".utf8)
          index = part.range.upperBound
          start = index
        } else if let found = pattern(in: bytes, at: index) {
          result += bytes[start..<index]
          let pattern = patterns[found]
          result += Self.begin + Array("\(pattern.name)/\(pattern.bytes.count)}".utf8)
          index += pattern.bytes.count
          start = index
        } else if bytes[index] == Self.begin[0], bytes[index...].starts(with: Self.begin) {
          result += bytes[start..<index] + Self.begin + [Self.escape]
          index += Self.begin.count
          start = index
        } else {
          index += 1
        }
      }
      if start > 0 || !result.isEmpty { result += bytes[start...] }
    }
    return result.isEmpty ? text : String(decoding: result, as: UTF8.self)
  }

  /// The text with each mark filled in; `mask` holds the secrets, nil: there are none.
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
        let name = words.prefix(2).joined(separator: "/")
        guard let pattern = mask?.patterns.first(where: { $0.name == name }) else {
          throw MissingSecret(name: words.first.map(String.init) ?? "")
        }
        let count = words.count > 2 ? Int(words[2]) ?? 0 : 0
        switch words.count > 3 ? words[3] : "" {
        case "first": result += pattern.bytes.prefix(count)
        case "last": result += pattern.bytes.suffix(count)
        default: result += pattern.bytes
        }
      }
      index = close + 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// An object with marks in the place of secrets.
  public func marked(_ object: ValueObject) -> ValueObject {
    var result = ValueObject()
    for (key, value) in object { result[key] = marked(value) }
    return result
  }

  private func marked(_ value: Value) -> Value {
    switch value {
    case .string(let text): .string(marked(text))
    case .array(let values): .array(values.map { marked($0) })
    case .object(let object): .object(marked(object))
    default: value
    }
  }

  /// An object with its marks filled in; `mask` holds the secrets, nil: there are none.
  public static func filled(_ object: ValueObject, by mask: SecretMask?) throws(MissingSecret) -> ValueObject {
    var result = ValueObject()
    for (key, value) in object { result[key] = try filled(value, by: mask) }
    return result
  }

  private static func filled(_ value: Value, by mask: SecretMask?) throws(MissingSecret) -> Value {
    switch value {
    case .string(let text): return .string(try filled(text, by: mask))
    case .array(let values):
      var result: [Value] = []
      for value in values { result.append(try filled(value, by: mask)) }
      return .array(result)
    case .object(let object): return .object(try filled(object, by: mask))
    default: return value
    }
  }

  /// The secret that a value holds though every known form of it has been marked: spread over lines, or with spaces
  /// between; nil: none.
  public func spreadSecret(in object: ValueObject) -> String? {
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
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let marked = marked(text)
    let compact = marked.utf8.filter { !blanks.contains($0) }
    guard compact.count < marked.utf8.count else { return nil }
    return compact.withUnsafeBufferPointer { bytes in
      for index in bytes.indices {
        if let found = pattern(in: bytes, at: index), patterns[found].bytes.count >= Self.leastSpreadBytes {
          return String(patterns[found].name.prefix { $0 != "/" })
        }
      }
      return nil
    }
  }

  /// Shorter texts come about by chance where spaces are left out.
  private static let leastSpreadBytes = 8
}
