extension PluginTemplate {
  /// `Codable.swift`: Swift's `Codable` on top of `JSON.swift`.
  static let swiftCodable = #"""
    // Swift's Codable on top of JSON. Nothing here needs editing.

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

    /// What a `Decodable` type is made from.
    struct JSONDecoding: Decoder, SingleValueDecodingContainer {
      let json: JSON
      var codingPath: [any CodingKey] { [] }
      var userInfo: [CodingUserInfoKey: Any] { [:] }

      /// The value of `type` in `json`; `name` is what messages call it.
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

      private static func exact<I: FixedWidthInteger>(_ value: Int, _ type: I.Type) -> Any? { I(exactly: value) }
      private static func nearest<F: BinaryFloatingPoint>(_ value: Double, _ type: F.Type) -> Any { F(value) }

      fileprivate static func problem(_ message: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: message))
      }

      func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object = json else { throw Self.problem("expected a map, found \(json.kind)") }
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
        func contains(_ key: Key) -> Bool { json[key.stringValue] != nil }
        private func decoding(_ key: Key) throws -> JSONDecoding {
          if let member = json[key.stringValue] { return JSONDecoding(json: member) }
          throw problem("'\(key.stringValue)' is missing")
        }
        func decodeNil(forKey key: Key) throws -> Bool { try decoding(key).decodeNil() }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
          try JSONDecoding.decode(type, from: decoding(key).json, "'\(key.stringValue)'")
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

    /// What an `Encodable` value writes itself into.
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

      /// The value as JSON.
      static func json<T: Encodable>(_ value: T) throws -> JSON {
        if let scalar = value as? any JSONScalar { return scalar.json }
        if let integer = value as? any FixedWidthInteger { return Int(exactly: integer)?.json ?? Double(integer).json }
        if let float = value as? any BinaryFloatingPoint { return Double(float).json }
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
        members.append((key, JSONEncoding()))
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

    """#
}
