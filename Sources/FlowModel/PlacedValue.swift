import FlowDiagnostics

/// A value of a YAML file and its location, for files of plugins next to a workflow.
public struct PlacedValue: Sendable {
  /// The content of a value.
  public indirect enum Content: Sendable {
    /// A single value.
    case scalar(Value)
    /// A list.
    case list([PlacedValue])
    /// A mapping in file order, without repeated keys.
    case map([Member])
  }

  /// A key of a mapping and its value.
  public struct Member: Sendable {
    /// The key.
    public var key: String
    /// The location of the key.
    public var keySpan: TextSpan
    /// The value.
    public var value: PlacedValue

    /// Creates a member from a key and its value.
    public init(key: String, keySpan: TextSpan, value: PlacedValue) {
      self.key = key
      self.keySpan = keySpan
      self.value = value
    }
  }

  /// The content of the value.
  public var content: Content
  /// The location of the value.
  public var span: TextSpan

  /// Creates a value from its content and location.
  public init(content: Content, span: TextSpan) {
    self.content = content
    self.span = span
  }

  /// The kind of value for a message, such as `a mapping` or `the string "yes"`.
  public var found: String {
    switch content {
    case .map: "a mapping"
    case .list: "a list"
    case .scalar(.null): "nothing"
    case .scalar(.string(let text)): "the string \(Value.string(text).shortText)"
    case .scalar(let value): "the \(value.kindName) \(value.shortText)"
    }
  }

  /// Returns the member of a mapping with this key, or nil.
  public func member(_ key: String) -> Member? {
    guard case .map(let members) = content else { return nil }
    return members.first { $0.key == key }
  }
}
