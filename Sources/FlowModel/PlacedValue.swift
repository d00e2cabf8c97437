import FlowDiagnostics

/// A value in a YAML file with its location, for files that plugins read.
package struct PlacedValue: Sendable {
  package indirect enum Content: Sendable {
    case scalar(Value)
    case list([PlacedValue])
    /// A mapping, whose members are in file order and have unique keys.
    case map([Member])
  }

  /// A key of a mapping together with its value.
  package struct Member: Sendable {
    package var key: String
    /// The range of the key in the file.
    package var keySpan: TextSpan
    package var value: PlacedValue

    package init(key: String, keySpan: TextSpan, value: PlacedValue) {
      self.key = key
      self.keySpan = keySpan
      self.value = value
    }
  }

  package var content: Content
  /// The range of the value in the file.
  package var span: TextSpan

  package init(content: Content, span: TextSpan) {
    self.content = content
    self.span = span
  }

  /// A description of the value for a message, such as `a mapping` or `the string "yes"`.
  package var found: String {
    switch content {
    case .map: "a mapping"
    case .list: "a list"
    case .scalar(.null): "nothing"
    case .scalar(.string(let text)): "the string \(Value.string(text).shortText)"
    case .scalar(let value): "the \(value.kindName) \(value.shortText)"
    }
  }

  /// Returns the member with this key, or nil if there is none or the value is not a mapping.
  package func member(_ key: String) -> Member? {
    guard case .map(let members) = content else { return nil }
    return members.first { $0.key == key }
  }
}
