/// A type that JSON has a word for.
protocol JSONScalar {
  /// The value, or nil when the JSON is something else.
  init?(json: JSON)
  /// The value as JSON.
  var json: JSON { get }
}

extension Bool: JSONScalar {
  init?(json: JSON) {
    guard case .boolean(let flag) = json else { return nil }
    self = flag
  }
  var json: JSON { .boolean(self) }
}

extension String: JSONScalar {
  init?(json: JSON) {
    guard case .string(let text) = json else { return nil }
    self = text
  }
  var json: JSON { .string(self) }
}

extension Int: JSONScalar {
  init?(json: JSON) {
    switch json {
    case .integer(let integer): self = integer
    case .number(let number):
      guard let integer = Int(exactly: number) else { return nil }
      self = integer
    default: return nil
    }
  }
  var json: JSON { .integer(self) }
}

extension Double: JSONScalar {
  init?(json: JSON) {
    switch json {
    case .integer(let integer): self = Double(integer)
    case .number(let number): self = number
    default: return nil
    }
  }
  var json: JSON { .number(self) }
}

extension Duration: JSONScalar {
  /// Inputs of type duration come as their milliseconds.
  init?(json: JSON) {
    guard let milliseconds = Double(json: json) else { return nil }
    self = .milliseconds(milliseconds)
  }
  var json: JSON { .string("\(Int((self / .milliseconds(1)).rounded()))ms") }
}

extension JSON: JSONScalar {
  init?(json: JSON) { self = json }
  var json: JSON { self }
}

extension JSON: Codable {
  /// The JSON itself, among the inputs of an action.
  package init(from decoder: any Decoder) throws {
    guard let decoding = decoder as? JSONDecoding else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "JSON is read from a call alone"))
    }
    self = decoding.json
  }

  /// The JSON itself, among the outputs of an action.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self)
  }
}

extension String {
  /// What a property is called in plugin.yaml and in workflows: `countryCode` is `country-code`.
  var kebabCase: String {
    guard utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else { return self }
    var result = ""
    for character in self {
      if character.isUppercase, !result.isEmpty { result.append("-") }
      result.append(character.lowercased())
    }
    return result
  }
}
