/// A type with a direct representation in JSON.
protocol JSONScalar {
  /// Creates the value. Returns nil if the JSON has another type.
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
  /// Creates a duration from its milliseconds, the form of inputs of type duration.
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
  /// Decodes the JSON itself as an input of an action.
  public init(from decoder: any Decoder) throws {
    guard let decoding = decoder as? JSONDecoding else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "JSON is read from a call alone"))
    }
    self = decoding.json
  }

  /// Encodes the JSON itself as an output of an action.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self)
  }
}

extension String {
  /// The name of a property in plugin.yaml and in workflows. `countryCode` becomes `country-code`.
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
