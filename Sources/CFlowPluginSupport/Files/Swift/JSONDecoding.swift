/// Decodes a `Decodable` type from JSON.
struct JSONDecoding: Decoder, SingleValueDecodingContainer {
  let json: JSON
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Decodes a value of `type` from `json`. Messages call it `name`.
  @_semantics("optimize.sil.specialize.generic.never")
  static func decode<T: Decodable>(_ type: T.Type, from json: JSON, _ name: String = "the value") throws -> T {
    let value: Any?
    if let scalar = type as? any JSONScalar.Type {
      value = scalar.init(json: json)
    } else if let integer = type as? any FixedWidthInteger.Type {
      value = Int(json: json).flatMap { exact($0, integer) }
    } else if let float = type as? any BinaryFloatingPoint.Type {
      value = Double(json: json).map { nearest($0, float) }
    } else {
      return try T(from: Self(json: json))
    }
    guard let value = value as? T else { throw problem("\(name) is \(json.kind), not of type \(type)") }
    return value
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private static func exact<I: FixedWidthInteger>(_ value: Int, _ type: I.Type) -> Any? { I(exactly: value) }
  @_semantics("optimize.sil.specialize.generic.never")
  private static func nearest<F: BinaryFloatingPoint>(_ value: Double, _ type: F.Type) -> Any { F(value) }

  fileprivate static func problem(_ message: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: message))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object = json else { throw Self.problem("expected an object, found \(json.kind)") }
    return KeyedDecodingContainer(Members(json: json))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = json else { throw Self.problem("expected a list, found \(json.kind)") }
    return Elements(elements: elements)
  }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }
  func decodeNil() -> Bool { if case .null = json { true } else { false } }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try Self.decode(type, from: json) }

  struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let json: JSON
    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
      guard case .object(let members) = json else { return [] }
      return members.compactMap { Key(stringValue: $0.key) }
    }
    func contains(_ key: Key) -> Bool { member(key) != nil }
    private func member(_ key: Key) -> JSON? { json[key.stringValue] ?? json[key.stringValue.kebabCase] }
    private func decoding(_ key: Key) throws -> JSONDecoding {
      if let member = member(key) { return JSONDecoding(json: member) }
      throw problem("'\(key.stringValue.kebabCase)' is missing")
    }
    func decodeNil(forKey key: Key) throws -> Bool { try decoding(key).decodeNil() }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      try JSONDecoding.decode(type, from: decoding(key).json, "'\(key.stringValue.kebabCase)'")
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoding(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoding(key).unkeyedContainer()
    }
    func superDecoder() -> any Decoder { JSONDecoding(json: json) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoding(key) }
  }

  struct Elements: UnkeyedDecodingContainer {
    let elements: [JSON]
    var currentIndex = 0
    var codingPath: [any CodingKey] { [] }

    init(elements: [JSON]) { self.elements = elements }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }
    private mutating func next() throws -> JSONDecoding {
      if isAtEnd { throw problem("a list is too short") }
      defer { currentIndex += 1 }
      return JSONDecoding(json: elements[currentIndex])
    }
    mutating func decodeNil() -> Bool {
      guard !isAtEnd, case .null = elements[currentIndex] else { return false }
      currentIndex += 1
      return true
    }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decode(type) }
    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }
  }
}
