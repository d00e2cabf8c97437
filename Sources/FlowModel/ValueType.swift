/// The type of an input or output, the same everywhere: workflow inputs, actions, manifests, the JSON Schema.
public indirect enum ValueType: Sendable, Hashable {
  case string
  case boolean
  case integer
  case number
  /// A length of time as text: `250ms`, `1m30s` (see ``DurationText``).
  case duration
  /// A place in the file system; a relative one starts at `base`.
  case path(base: PathBase)
  /// A list whose elements are all of one type.
  case array(of: ValueType)
  /// A map. `properties` nil: any keys; otherwise just these.
  case object(properties: [FieldDeclaration]?)
  case any
  /// One of the listed values, all of the type `of`.
  case enumeration([Value], of: ValueType)

  /// Where a relative path starts.
  public enum PathBase: String, Sendable, Hashable, CaseIterable {
    /// The run's data folder: for what an action writes.
    case data
    /// The folder of the workflow file: for what an action reads.
    case file
  }

  /// Whether a path in a value of this type starts at the run's data folder, which only its own machine has.
  var readsDataFolder: Bool {
    switch self {
    case .path(let base): base == .data
    case .array(let element): element.readsDataFolder
    case .object(let properties): properties?.contains { $0.type.readsDataFolder } ?? false
    default: false
    }
  }

  /// The word for this type in a workflow or manifest, such as `string` or `array`.
  public var name: String {
    switch self {
    case .string: "string"
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .duration: "duration"
    case .path: "path"
    case .array: "array"
    case .object: "object"
    case .any: "any"
    case .enumeration(_, let base): base.name
    }
  }

  /// Every word that may be where a type is named.
  public static let names = [
    "string", "boolean", "integer", "number", "duration", "path", "array", "object", "any",
  ]
}

/// A named, typed place for a value: an input of a workflow or an action, an output, a property of an object.
public struct FieldDeclaration: Sendable, Hashable {
  /// The key under which a workflow gives or reads it.
  public var name: String
  /// What fits.
  public var type: ValueType
  /// Whether a value must be given; true when there is no default, unless stated otherwise.
  public var isRequired: Bool
  /// The value if none is given.
  public var defaultValue: Value?
  /// One sentence for people.
  public var summary: String
  /// Whether what it is given may be a secret, and is shown nowhere.
  public var isSecret = false

  /// Declares a field; it is required exactly when it has no default, unless `isRequired` says otherwise.
  public init(
    _ name: String, _ type: ValueType, isRequired: Bool? = nil, default defaultValue: Value? = nil, summary: String = ""
  ) {
    self.name = name
    self.type = type
    self.isRequired = isRequired ?? (defaultValue == nil)
    self.defaultValue = defaultValue
    self.summary = summary
  }
}
