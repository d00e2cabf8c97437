/// How what several devices wrote into one field becomes one value.
public enum MergeRule: String, Hashable, Sendable, CaseIterable {
  /// What was written last.
  case newest
  /// The largest value that was ever written.
  case largest
  /// The smallest one.
  case smallest
  /// The sum of everything that was added.
  case counter
  /// What was added and not taken away by someone who had seen it added.
  case set
  /// The elements of both, in order.
  case list
  /// Part of a state that is arbitrated whole.
  case whole

  /// Those that a field of a schema may name; `whole` is what fields are that name none, where a collection decides.
  public static let named: [MergeRule] = [.newest, .largest, .smallest, .counter, .set, .list]
}

/// What happens to a record that one device deletes and another changes at the same time.
public enum DeleteRule: String, Hashable, Sendable, CaseIterable {
  /// It lives.
  case editWins = "edit-wins"
  /// It is gone.
  case deleteWins = "delete-wins"
}

/// What a reference reads as while its target is deleted.
public enum OnDelete: String, Hashable, Sendable, CaseIterable {
  /// As nothing.
  case clear
  /// The record itself is not shown.
  case delete
  /// As the key that was written.
  case keep
}

/// What a field may hold.
public indirect enum FieldType: Hashable, Sendable {
  /// A text, a whole number, a number, a truth value, a length of time.
  case string, integer, number, boolean, duration
  /// The key of a record of a collection.
  case reference(to: String)
  /// Several values of one type.
  case array(of: FieldType)

  /// The words for the types that have no parts.
  public static let plain: [(name: String, type: FieldType)] = [
    ("string", .string), ("integer", .integer), ("number", .number), ("boolean", .boolean), ("duration", .duration),
  ]

  /// The type in a word, as a zone keeps it: `string`, `reference:folders`, `array:string`.
  public var text: String {
    switch self {
    case .string: "string"
    case .integer: "integer"
    case .number: "number"
    case .boolean: "boolean"
    case .duration: "duration"
    case .reference(let collection): "reference:\(collection)"
    case .array(let element): "array:\(element.text)"
    }
  }

  /// Reads what `text` gave; nil for anything else.
  public init?(text: some StringProtocol) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("reference"?, 2): self = .reference(to: String(parts[1]))
    case ("array"?, 2):
      guard let element = FieldType(text: parts[1]) else { return nil }
      self = .array(of: element)
    case (let name?, 1):
      guard let type = Self.plain.first(where: { $0.name == name })?.type else { return nil }
      self = type
    default: return nil
    }
  }

  /// Whether a single value is of this type; an array's elements are asked one by one.
  public func admits(_ value: Scalar) -> Bool {
    switch (self, value) {
    case (_, .null), (.string, .text), (.reference, .text), (.integer, .integer), (.duration, .integer),
      (.number, .number), (.boolean, .boolean), (.array, .json):
      true
    default: false
    }
  }
}

/// The rule of one field, as a zone keeps it for all devices.
public struct FieldRule: Hashable, Sendable {
  /// What it may hold.
  public var type: FieldType
  /// How it is merged.
  public var merge: MergeRule
  /// Of a reference: what it reads as while its target is deleted.
  public var onDelete: OnDelete?
  /// Of `largest`: whether a new epoch can be begun, in which it may be smaller.
  public var hasEpochs = false

  /// Makes a rule.
  public init(type: FieldType, merge: MergeRule, onDelete: OnDelete? = nil) {
    self.type = type
    self.merge = merge
    self.onDelete = onDelete
  }

  /// The rule in words: `string newest`, `reference:folders newest clear`.
  public var text: String {
    "\(type.text) \(merge.rawValue)\(onDelete.map { " \($0.rawValue)" } ?? "")\(hasEpochs ? " epoch" : "")"
  }

  /// Reads what `text` gave; nil for anything else, such as a rule of the future.
  public init?(text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard (2...3).contains(words.count), let type = FieldType(text: words[0]),
      let merge = MergeRule(rawValue: String(words[1]))
    else { return nil }
    self.init(type: type, merge: merge)
    if words.count == 3, words[2] == "epoch" {
      hasEpochs = true
    } else if words.count == 3 {
      guard let onDelete = OnDelete(rawValue: String(words[2])) else { return nil }
      self.onDelete = onDelete
    }
  }

  /// The type of one value of the field: that of the elements where there are several.
  public var element: FieldType {
    if case .array(let element) = type, merge == .set || merge == .list { element } else { type }
  }
}
