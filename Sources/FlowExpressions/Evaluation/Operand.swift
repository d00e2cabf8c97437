import FlowModel

/// A value during evaluation. Arrays and objects have an identity, because each equals only itself.
enum Operand {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array(ArrayReference)
  case object(ObjectReference)

  /// Creates an operand. An array or object receives a new identity.
  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .boolean(let flag): self = .boolean(flag)
    case .integer(let integer): self = .integer(integer)
    case .number(let number): self = .number(number)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(ArrayReference(elements))
    case .object(let members): self = .object(ObjectReference(members))
    }
  }

  var value: Value {
    switch self {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let integer): .integer(integer)
    case .number(let number): .number(number)
    case .string(let text): .string(text)
    case .array(let array): .array(array.elements)
    case .object(let object): .object(object.members)
    }
  }
}

/// A reference to an array. The array equals only itself.
final class ArrayReference {
  let elements: [Value]
  /// True if the array is the result of `*`. An index then applies to each of its elements.
  let isFiltered: Bool
  /// The nested arrays and objects that have been read, by index. They are kept so that each has a single identity.
  private var collections: [Int: Operand]

  init(_ elements: [Value]) {
    self.elements = elements
    isFiltered = false
    collections = [:]
  }

  /// Creates the result of `*`. Elements keep their identity.
  init(filtered operands: [Operand]) {
    elements = operands.map(\.value)
    isFiltered = true
    collections = [:]
    for (index, operand) in operands.enumerated() where operand.isCollection { collections[index] = operand }
  }

  func element(at index: Int) -> Operand {
    switch elements[index] {
    case .array, .object:
      if let known = collections[index] { return known }
      let operand = Operand(elements[index])
      collections[index] = operand
      return operand
    case let scalar: return Operand(scalar)
    }
  }

  var operands: [Operand] { elements.indices.map(element) }
}

/// A reference to an object. The object equals only itself.
final class ObjectReference {
  let members: ValueObject
  /// The nested arrays and objects that have been read, by key. They are kept so that each has a single identity.
  private var collections: [ByteName: Operand] = [:]

  init(_ members: ValueObject) { self.members = members }

  /// Returns the member whose key is `key` or, if there is none, the first one whose key differs from `key` only in
  /// case. Returns nil if there is no such member either.
  func member(_ key: String) -> Operand? {
    if let value = members[key] { return operand(value, at: key) }
    guard let member = members.first(where: { CaseFolding.areEqual($0.key, key) }) else { return nil }
    return operand(member.value, at: member.key)
  }

  var operands: [Operand] { members.map { operand($0.value, at: $0.key) } }

  private func operand(_ value: Value, at key: String) -> Operand {
    switch value {
    case .array, .object:
      if let known = collections[ByteName(key)] { return known }
      let operand = Operand(value)
      collections[ByteName(key)] = operand
      return operand
    default: return Operand(value)
    }
  }
}
