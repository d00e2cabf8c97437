import FlowModel

/// The items of a step as expressions see them.
struct FanValues: Sendable {
  var values: [Value]
  /// The keys of the object they come from; nil: they come from a list.
  var keys: [String]?

  /// What an expression of an item sees.
  func item(_ index: Int) -> ItemScope { ItemScope(value: values[index], index: index, key: keys?[index]) }

  /// What tells the items from others at the same index: 64 bits over key and value.
  var hashes: [UInt64] {
    values.indices.map { index in
      var hash = ItemHash()
      if let keys { hash.add(.string(keys[index])) }
      hash.add(values[index])
      return hash.value
    }
  }
}

/// The item that an expression is evaluated for.
struct ItemScope: Sendable {
  var value: Value
  var index: Int
  var key: String?
}

/// FNV-1a over a value, the same in every process.
struct ItemHash {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ added: Value) {
    switch added {
    case .null: add(byte: 0)
    case .boolean(let flag): add(byte: flag ? 2 : 1)
    case .integer(let number):
      guard let exact = Double(exactly: number) else {
        add(byte: 7)
        return add(word: UInt64(bitPattern: Int64(number)))
      }
      add(byte: 3)
      add(word: exact.bitPattern)
    case .number(let number):
      add(byte: 3)
      add(word: number.bitPattern)
    case .string(let text): add(text)
    case .array(let elements):
      add(byte: 5)
      add(word: UInt64(elements.count))
      for element in elements { add(element) }
    case .object(let members):
      add(byte: 6)
      add(word: UInt64(members.count))
      for (key, member) in members {
        add(key)
        add(member)
      }
    }
  }

  private mutating func add(_ text: String) {
    add(byte: 4)
    add(word: UInt64(text.utf8.count))
    for byte in text.utf8 { add(byte: byte) }
  }

  private mutating func add(word: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) { add(byte: UInt8(truncatingIfNeeded: word >> shift)) }
  }

  private mutating func add(byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
}
