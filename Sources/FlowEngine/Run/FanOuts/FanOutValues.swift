import FlowBytes
import FlowModel

/// The items of a step as expressions see them.
struct FanOutValues: Sendable {
  var values: [Value]
  /// The keys of the object they come from; nil: they come from a list.
  var keys: [String]?

  /// What an expression of an item sees.
  func item(_ index: Int) -> ItemScope { ItemScope(value: values[index], index: index, key: keys?[index]) }

  /// What tells the items from others at the same index: 64 bits over key and value.
  var hashes: [UInt64] {
    values.indices.map { index in
      var hash = FNV1a64()
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

extension FNV1a64 {
  /// Adds a value, so that equal numbers of any form add the same.
  mutating func add(_ added: Value) {
    switch added {
    case .null: add(0 as UInt8)
    case .boolean(let flag): add((flag ? 2 : 1) as UInt8)
    case .integer(let number):
      guard let exact = Double(exactly: number) else {
        add(7 as UInt8)
        return add(UInt64(bitPattern: Int64(number)))
      }
      add(3 as UInt8)
      add(exact.bitPattern)
    case .number(let number):
      add(3 as UInt8)
      add(number.bitPattern)
    case .string(let text): add(text)
    case .array(let elements):
      add(5 as UInt8)
      add(UInt64(elements.count))
      for element in elements { add(element) }
    case .object(let members):
      add(6 as UInt8)
      add(UInt64(members.count))
      for (key, member) in members {
        add(key)
        add(member)
      }
    }
  }

  private mutating func add(_ text: String) {
    add(4 as UInt8)
    add(UInt64(text.utf8.count))
    add(text.utf8)
  }
}
