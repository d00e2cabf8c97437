import FlowBytes
import FlowDiagnostics
import FlowModel
import FlowSecrets

/// The values of a fan-out's items, which expressions can read.
struct FanOutValues: Sendable {
  private enum Source: Sendable {
    case values([Value])
    /// The paths of files. The item's value is created when an expression reads it.
    case files([String])
  }

  private var source: Source
  /// The keys of the items, or nil if the items do not come from an object.
  private(set) var keys: [String]?

  init(_ values: [Value], keys: [String]? = nil) {
    source = .values(values)
    self.keys = keys
  }

  init(files: [String]) { source = .files(files) }

  var count: Int {
    switch source {
    case .values(let values): values.count
    case .files(let paths): paths.count
    }
  }

  var indices: Range<Int> { 0..<count }

  subscript(index: Int) -> Value {
    switch source {
    case .values(let values): values[index]
    case .files(let paths): FileItem.value(of: paths[index])
    }
  }

  /// Returns the path of an item that is a file, or nil if the items are not files.
  func path(of index: Int) -> String? { if case .files(let paths) = source { paths[index] } else { nil } }

  /// The maximum number of items for which names are created, and the maximum length of a name in characters.
  private static let (namedItems, nameCharacters) = (10_000, 80)

  /// Returns a name for each item: its key, path or value, with secrets hidden. Returns nil if there are no items or
  /// too many.
  func names(_ mask: SecretMask?) -> [String]? {
    guard count > 0, count <= Self.namedItems else { return nil }
    return indices.map { index in
      let value = keys == nil ? self[index] : .null
      let text = keys?[index] ?? path(of: index) ?? Self.name(of: value)
      let shown = TerminalText.visible(mask?.masked(text) ?? text)
      return shown.count <= Self.nameCharacters ? shown : shown.prefix(Self.nameCharacters) + "…"
    }
  }

  /// Returns the name of an item without a key, such as `linux, arm64` for an object. Empty members are omitted.
  private static func name(of value: Value) -> String {
    guard let members = value.objectValue else { return value.stringValue ?? JSONText.write(value) }
    let texts = members.map { $0.value.stringValue ?? JSONText.write($0.value) }.filter { !$0.isEmpty }
    return texts.isEmpty ? JSONText.write(value) : texts.joined(separator: ", ")
  }

  /// Returns the contexts in which the expressions of an item are evaluated.
  func item(_ index: Int) -> ItemScope { ItemScope(value: self[index], index: index, key: keys?[index]) }

  /// Adds an item. Has no effect if the items are files, because their list is complete from the start.
  mutating func append(_ value: Value) {
    guard case .values(var values) = source else { return }
    source = .values([])
    values.append(value)
    source = .values(values)
  }

  /// A hash of each item's key and value. A resumed run uses it to detect that the item at an index has changed.
  var hashes: [UInt64] {
    indices.map { index in
      var hash = FNV1a64()
      if let keys { hash.add(.string(keys[index])) }
      switch source {
      case .values(let values): hash.add(values[index])
      case .files(let paths): hash.add(file: paths[index])
      }
      return hash.value
    }
  }

  /// Hashes that do not depend on the item's position in the list and are different even for equal items.
  var recordKeys: [UInt64] {
    var seen: [UInt64: UInt64] = [:]
    return hashes.map { hash in
      let count = seen[hash, default: 0]
      seen[hash] = count + 1
      return hash &+ count
    }
  }
}

/// The item that expressions can read.
struct ItemScope: Sendable {
  var value: Value
  var index: Int
  var key: String?
}

extension FNV1a64 {
  /// Adds a value to the hash. Numbers that are equal have the same hash, whether they are integers or not.
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

  /// Adds the same bytes as ``add(_:)`` with the file's value, but does not create that value.
  fileprivate mutating func add(file path: String) {
    let parts = FileItem.parts(of: path)
    add(6 as UInt8)
    add(5 as UInt64)
    add("path")
    add(path)
    add("name")
    add(parts.name)
    add("stem")
    add(parts.stem)
    add("extension")
    add(parts.extension)
    add("folder")
    add(parts.folder)
  }

  private mutating func add(_ text: some StringProtocol) {
    add(4 as UInt8)
    add(UInt64(text.utf8.count))
    var hash = self
    if text.utf8.withContiguousStorageIfAvailable({ hash.add($0) }) == nil { hash.add(text.utf8) }
    self = hash
  }
}
