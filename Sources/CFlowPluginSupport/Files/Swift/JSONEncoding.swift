/// Encodes an `Encodable` value as JSON.
final class JSONEncoding: Encoder, SingleValueEncodingContainer {
  private enum Kind {
    case scalar, elements, members
  }

  private var kind = Kind.scalar
  private var scalar = JSON.null
  private var elements: [JSONEncoding] = []
  private var members: [(key: String, value: JSONEncoding)] = []
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Returns the value as JSON.
  static func json(_ value: any Encodable) throws -> JSON {
    if let scalar = value as? any JSONScalar { return scalar.json }
    if let integer = value as? any FixedWidthInteger { return Int(exactly: integer)?.json ?? Double(integer).json }
    if let float = value as? any BinaryFloatingPoint { return Double(float).json }
    // The keys of a dictionary are data, not names of properties, so they are not converted.
    if let dictionary = value as? [String: any Encodable] {
      return .object(try dictionary.map { ($0.key, try json($0.value)) })
    }
    let encoder = JSONEncoding()
    try value.encode(to: encoder)
    return encoder.json
  }

  private var json: JSON {
    switch kind {
    case .scalar: scalar
    case .elements: .array(elements.map(\.json))
    case .members: .object(members.map { ($0.key, $0.value.json) })
    }
  }

  fileprivate func add(_ key: String) -> JSONEncoding {
    members.append((key.kebabCase, JSONEncoding()))
    return members[members.count - 1].value
  }
  fileprivate func add() -> JSONEncoding {
    elements.append(JSONEncoding())
    return elements[elements.count - 1]
  }
  fileprivate var count: Int { elements.count }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    kind = .members
    return KeyedEncodingContainer(Members(encoder: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    kind = .elements
    return Elements(encoder: self)
  }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func encodeNil() { scalar = .null }
  func encode<T: Encodable>(_ value: T) throws { scalar = try Self.json(value) }

  struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONEncoding
    var codingPath: [any CodingKey] { [] }
    func encodeNil(forKey key: Key) { encoder.add(key.stringValue).encodeNil() }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder.add(key.stringValue).encode(value) }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { encoder.add(key.stringValue).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder.add(key.stringValue).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { encoder.add("super") }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.add(key.stringValue) }
  }

  struct Elements: UnkeyedEncodingContainer {
    let encoder: JSONEncoding
    var codingPath: [any CodingKey] { [] }
    var count: Int { encoder.count }
    func encodeNil() { encoder.add().encodeNil() }
    func encode<T: Encodable>(_ value: T) throws { try encoder.add().encode(value) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      encoder.add().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.add().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder.add() }
  }
}
