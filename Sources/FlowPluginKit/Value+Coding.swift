import FlowModel

// With these conformances, the compiler can generate `init(from:)` for outputs that contain values. Deriving the
// declarations of outputs does not call them.
extension Value: Decodable {
  /// Decodes any JSON value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let values = try? container.decode([Value].self) {
      self = .array(values)
    } else {
      self = .object(try container.decode(ValueObject.self))
    }
  }
}

extension ValueObject: Decodable {
  /// Decodes an object. Its members are sorted by key, because decoders do not preserve their order.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.singleValueContainer().decode([String: Value].self)
    self.init(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }
}

extension Value: Encodable {
  /// Encodes the value as `JSONText` does: numbers that JSON lacks become `"NaN"`, `"Infinity"` and `"-Infinity"`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value) where value.isFinite: try container.encode(value)
    case .number(let value): try container.encode(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }
}

extension ValueObject: Encodable {
  /// Encodes the object. The encoder determines the order of the members.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value) }))
  }
}

extension DataPath: Decodable {
  /// Decodes a path from a string.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }
}

extension SourcePath: Decodable {
  /// Decodes a path from a string.
  package init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }
}
