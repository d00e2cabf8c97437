/// The type of an input or output in workflows, actions, manifests and the JSON Schema.
package indirect enum ValueType: Sendable, Hashable {
  case string
  case boolean
  case integer
  case number
  /// A duration as a string, such as `250ms` or `1m30s` (``DurationText``).
  case duration
  /// A path. A relative path starts at the folder that `base` names.
  case path(base: PathBase)
  /// A list whose elements all have this type.
  case array(of: ValueType)
  /// An object. It may have only these properties, or any properties if they are nil.
  case object(properties: [FieldDeclaration]?)
  case any
  /// One of these values. All of them have the type `of`.
  case enumeration([Value], of: ValueType)

  /// The folder at which a relative path starts.
  package enum PathBase: String, Sendable, Hashable, CaseIterable {
    /// The data folder of the run, for files that an action writes.
    case data
    /// The folder of the workflow file, for files that an action reads.
    case file
  }

  /// True if values may contain paths in the data folder. That folder exists only on the machine of the run.
  var readsDataFolder: Bool {
    switch self {
    case .path(let base): base == .data
    case .array(let element): element.readsDataFolder
    case .object(let properties): properties?.contains { $0.type.readsDataFolder } ?? false
    default: false
    }
  }

  /// The name of the type in a workflow or manifest, such as `string` or `array`.
  package var name: String {
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

  /// The names of all types.
  package static let names = [
    "string", "boolean", "integer", "number", "duration", "path", "array", "object", "any",
  ]
}

/// A named and typed field: an input, an output, or a property of an object.
package struct FieldDeclaration: Sendable, Hashable {
  /// The key of the field in the workflow.
  package var name: String
  package var type: ValueType
  /// True if a value must be given. By default, a value is required unless there is a default value.
  package var isRequired: Bool
  /// The value if none is given, or nil if there is no default.
  package var defaultValue: Value?
  /// A one-sentence description of the field.
  package var summary: String
  /// True if the value may be secret, so that it must never be shown.
  package var isSecret = false
  /// True if the field may be left out, but null is an error: an identifier that turns out to be null must not select
  /// everything.
  package var refusesNull = false

  package init(
    _ name: String, _ type: ValueType, isRequired: Bool? = nil, default defaultValue: Value? = nil, summary: String = ""
  ) {
    self.name = name
    self.type = type
    self.isRequired = isRequired ?? (defaultValue == nil)
    self.defaultValue = defaultValue
    self.summary = summary
  }
}
