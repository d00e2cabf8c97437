/// The rule for merging values that several devices wrote to one field.
package enum MergeRule: String, Hashable, Sendable, CaseIterable {
  /// Keeps the last value written.
  case newest
  /// Keeps the largest value ever written.
  case largest
  /// Keeps the smallest value ever written.
  case smallest
  /// Sums all additions.
  case counter
  /// Keeps all added values except those removed by a device that had seen them.
  case set
  /// Keeps all inserted elements except removed ones, in order.
  case list
  /// Merges the field as part of a state that is decided as a whole.
  case whole

  /// The rules that a schema can name. In a collection with a `decide` rule, fields without a named rule use `whole`.
  package static let named: [MergeRule] = [.newest, .largest, .smallest, .counter, .set, .list]
}

/// The rule for a record that one device deletes while another one changes it.
package enum DeleteRule: String, Hashable, Sendable, CaseIterable {
  /// The record is kept.
  case editWins = "edit-wins"
  /// The record is deleted.
  case deleteWins = "delete-wins"
}

/// The value of a reference after its target has been deleted.
package enum OnDelete: String, Hashable, Sendable, CaseIterable {
  /// The reference has no value.
  case clear
  /// The record with the reference is hidden, too.
  case delete
  /// The reference keeps the key of its target.
  case keep
}

/// The type of a field's values.
package indirect enum FieldType: Hashable, Sendable {
  /// A scalar type. A duration is an integer number of milliseconds.
  case string, integer, number, boolean, duration
  /// The key of a record in a collection.
  case reference(to: String)
  /// Several values of one type.
  case array(of: FieldType)

  /// The names of all types without parameters.
  package static let plain: [(name: String, type: FieldType)] = [
    ("string", .string), ("integer", .integer), ("number", .number), ("boolean", .boolean), ("duration", .duration),
  ]

  /// The type as text, as a zone stores it: `string`, `reference:folders`, `array:string`.
  package var text: String {
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

  /// Parses the output of `text`. Returns nil for any other text.
  package init?(text: some StringProtocol) {
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

  /// True if a single value has this type or is null. The elements of an array are not checked here.
  package func admits(_ value: Scalar) -> Bool {
    switch (self, value) {
    case (_, .null), (.string, .text), (.reference, .text), (.integer, .integer), (.duration, .integer),
      (.number, .number), (.boolean, .boolean), (.array, .json):
      true
    default: false
    }
  }
}

/// The rule of one field, as a zone stores it for all devices.
package struct FieldRule: Hashable, Sendable {
  /// The type of the field's values.
  package var type: FieldType
  package var merge: MergeRule
  /// The value of a reference after its target has been deleted. Nil for other types.
  package var onDelete: OnDelete?
  /// True for a field with the rule `largest` that can start a new epoch. In a new epoch, its value may be smaller
  /// again.
  package var hasEpochs = false

  package init(type: FieldType, merge: MergeRule, onDelete: OnDelete? = nil) {
    self.type = type
    self.merge = merge
    self.onDelete = onDelete
  }

  /// The rule as text, as a zone stores it: `string newest`, `reference:folders newest clear`.
  package var text: String {
    "\(type.text) \(merge.rawValue)\(onDelete.map { " \($0.rawValue)" } ?? "")\(hasEpochs ? " epoch" : "")"
  }

  /// Parses the output of `text`. Returns nil for any other text, for example a rule of a newer version.
  package init?(text: String) {
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

  /// The type of a single value. For a set or a list, this is the type of its elements.
  package var element: FieldType {
    if case .array(let element) = type, merge == .set || merge == .list { element } else { type }
  }
}
