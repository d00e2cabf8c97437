/// An object whose keys are unique and in insertion order. Keys are compared byte by byte.
///
/// Most objects have only a few members, for which a linear search is fastest. Objects with more than 16 members have
/// an index.
public struct ValueObject: Sendable {
  /// A key and its value.
  public typealias Member = (key: String, value: Value)

  /// The members in insertion order.
  public private(set) var members: [Member]
  /// The index of each key in ``members``. Empty if there are at most 16 members.
  private var positions: [ByteName: Int] = [:]

  private static let scanLimit = 16

  /// Creates an empty object.
  public init() {
    members = []
  }

  /// Creates an object from its members. If a key is repeated, the last value is used, at the position of the first.
  public init(_ members: some Sequence<(String, Value)>) {
    self.init()
    for (key, value) in members { self[key] = value }
  }

  /// The number of members.
  public var count: Int { members.count }

  /// True if there are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The keys in insertion order.
  public var keys: [String] { members.map(\.key) }

  /// The value of `key`, or nil if there is none. Setting nil removes the member. Setting another value keeps the
  /// position of an existing member.
  public subscript(key: String) -> Value? {
    get { position(of: key).map { members[$0].value } }
    set {
      switch (position(of: key), newValue) {
      case (let index?, let value?):
        members[index].value = value
      case (nil, let value?):
        append(value, for: key)
      case (let index?, nil):
        members.remove(at: index)
        if !positions.isEmpty { reindex() }
      case (nil, nil):
        break
      }
    }
  }

  /// Appends a member. If the key already exists, changes nothing and returns false.
  public mutating func insert(_ value: Value, for key: String) -> Bool {
    guard position(of: key) == nil else { return false }
    append(value, for: key)
    return true
  }

  private mutating func append(_ value: Value, for key: String) {
    members.append((key, value))
    if !positions.isEmpty {
      positions[ByteName(key)] = members.count - 1
    } else if members.count > Self.scanLimit {
      reindex()
    }
  }

  private func position(of key: String) -> Int? {
    if !positions.isEmpty { return positions[ByteName(key)] }
    return members.firstIndex { $0.key.hasSameBytes(as: key) }
  }

  private mutating func reindex() {
    positions = Dictionary(uniqueKeysWithValues: members.enumerated().map { (ByteName($1.key), $0) })
  }
}

extension ValueObject: Hashable {
  /// True if both objects have the same keys with equal values, in any order.
  public static func == (left: ValueObject, right: ValueObject) -> Bool {
    left.count == right.count && left.members.allSatisfy { right[$0.key] == $0.value }
  }

  /// Hashes the members so that their order has no effect.
  public func hash(into hasher: inout Hasher) {
    var combined = 0
    for member in members {
      var own = Hasher()
      own.combine(ByteName(member.key))
      own.combine(member.value)
      combined ^= own.finalize()
    }
    hasher.combine(combined)
  }
}

extension ValueObject: Sequence, ExpressibleByDictionaryLiteral {
  /// Iterates over the members in insertion order.
  public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }

  /// Creates an object from a literal. Its members keep their order.
  public init(dictionaryLiteral elements: (String, Value)...) { self.init(elements) }
}
