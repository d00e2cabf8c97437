import FlowDiagnostics

/// A value of a YAML file with the location where it is, for the files of plugins that are next to workflows.
public struct PlacedValue: Sendable {
  /// What is there.
  public indirect enum Content: Sendable {
    /// A single value.
    case scalar(Value)
    /// A list.
    case list([PlacedValue])
    /// A map, in the order of the file; no key is twice.
    case map([Member])
  }

  /// A key of a map with its value.
  public struct Member: Sendable {
    /// The key.
    public var key: String
    /// Where the key is.
    public var keySpan: TextSpan
    /// The value.
    public var value: PlacedValue

    /// A key and its value.
    public init(key: String, keySpan: TextSpan, value: PlacedValue) {
      self.key = key
      self.keySpan = keySpan
      self.value = value
    }
  }

  /// What is there.
  public var content: Content
  /// Where it is.
  public var span: TextSpan

  /// A value and where it is.
  public init(content: Content, span: TextSpan) {
    self.content = content
    self.span = span
  }

  /// What it is, for a message: `a map`, `the string "yes"`.
  public var found: String {
    switch content {
    case .map: "a mapping"
    case .list: "a list"
    case .scalar(.null): "nothing"
    case .scalar(.string(let text)): "the string \(Value.string(text).shortText)"
    case .scalar(let value): "the \(value.kindName) \(value.shortText)"
    }
  }

  /// The member of a map under a key.
  public func member(_ key: String) -> Member? {
    guard case .map(let members) = content else { return nil }
    return members.first { $0.key == key }
  }
}
