/// The type of an input or output. Workflow inputs, actions, manifests and the JSON Schema share it.
public indirect enum ValueType: Sendable, Hashable {
  case string
  case boolean
  case integer
  case number
  /// A duration as text: `250ms`, `1m30s` (see ``DurationText``).
  case duration
  /// A path in the file system; a relative path starts at `base`.
  case path(base: PathBase)
  /// A list whose elements have the same type.
  case array(of: ValueType)
  /// An object. If `properties` is nil, all keys are allowed; otherwise only these.
  case object(properties: [FieldDeclaration]?)
  case any
  /// One of the listed values, all of the type `of`.
  case enumeration([Value], of: ValueType)

  /// The start of a relative path.
  public enum PathBase: String, Sendable, Hashable, CaseIterable {
    /// The run's data folder, for files that an action writes.
    case data
    /// The folder of the workflow file, for files that an action reads.
    case file
  }

  /// True if the type contains a path that starts at the run's data folder, which exists only on the run's own machine.
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

  /// The words allowed as the name of a type.
  public static let names = [
    "string", "boolean", "integer", "number", "duration", "path", "array", "object", "any",
  ]
}

/// A named, typed field: an input of a workflow or an action, an output, or a property of an object.
public struct FieldDeclaration: Sendable, Hashable {
  /// The key in the workflow.
  public var name: String
  /// The type of allowed values.
  public var type: ValueType
  /// True if a value must be given. Defaults to true if there is no default value.
  public var isRequired: Bool
  /// The default value, or nil.
  public var defaultValue: Value?
  /// A description in one sentence.
  public var summary: String
  /// True if the value may be a secret and is never shown.
  public var isSecret = false

  /// Declares a field. If `isRequired` is nil, the field is required exactly if it has no default.
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
