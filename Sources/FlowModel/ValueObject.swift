/// The members of an object value: unique keys, kept in the order in which they were added. Keys are compared byte by byte.
///
/// Most objects here have a handful of members, which a scan finds fastest; past sixteen an index is kept.
public struct ValueObject: Sendable {
  /// One key with its value.
  public typealias Member = (key: String, value: Value)

  /// The members in order.
  public private(set) var members: [Member]
  /// The index of each key, past sixteen members; before, empty.
  private var positions: [ByteName: Int] = [:]

  private static let scanLimit = 16

  /// An object without members.
  public init() {
    members = []
  }

  /// An object of these members; where a key comes twice, the later value is at the earlier index.
  public init(_ members: some Sequence<(String, Value)>) {
    self.init()
    for (key, value) in members { self[key] = value }
  }

  /// The number of members.
  public var count: Int { members.count }

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The keys in order.
  public var keys: [String] { members.map(\.key) }

  /// The value of `key`; setting nil removes the member, setting a value keeps the index of a member that is there.
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

  /// Adds a member behind the others; false, and nothing changes, when `key` has a value already.
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
  /// Two objects are equal when they have the same keys with equal values, in whatever order.
  public static func == (left: ValueObject, right: ValueObject) -> Bool {
    left.count == right.count && left.members.allSatisfy { right[$0.key] == $0.value }
  }

  /// Feeds the members independently of their order.
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
  /// The members in order.
  public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }

  /// An object of these members in the order written.
  public init(dictionaryLiteral elements: (String, Value)...) { self.init(elements) }
}
