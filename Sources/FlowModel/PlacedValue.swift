import FlowDiagnostics

/// A value in a YAML file with its location, for files that plugins read.
package struct PlacedValue: Sendable {
  package indirect enum Content: Sendable {
    /// A single value.
    case scalar(Value)
    /// A list.
    case list([PlacedValue])
    /// A mapping in file order, without duplicate keys.
    case map([Member])
  }

  /// A key of a mapping together with its value.
  package struct Member: Sendable {
    package var key: String
    /// The location of the key.
    package var keySpan: TextSpan
    package var value: PlacedValue

    package init(key: String, keySpan: TextSpan, value: PlacedValue) {
      self.key = key
      self.keySpan = keySpan
      self.value = value
    }
  }

  package var content: Content
  /// The location of the value.
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
