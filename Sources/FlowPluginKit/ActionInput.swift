import FlowModel

/// The inputs of an action: a struct whose stored properties are all ``Field``s.
///
/// ```swift
/// struct Input: ActionInput {
///   @Field("Where the store is") var path: DataPath
///   @Field("Folders with migrations") var migrations: [String] = []
///   @Field("How often to look", name: "poll-interval") var pollInterval: Duration?
/// }
/// ```
///
/// The table of fields (name, type, required, default, summary) is derived from the struct itself, once. A property
/// without a default is required, an optional one is not.
public protocol ActionInput: Sendable {
  /// All fields at their defaults, the others not yet set.
  init()
}

/// No inputs.
public struct NoInput: ActionInput {
  /// No inputs.
  public init() {}
}

extension ActionInput {
  /// The declared fields in the order of the struct.
  static func fieldDeclarations() -> [FieldDeclaration] {
    Mirror(reflecting: Self()).children.compactMap { child in
      guard let field = child.value as? any AnyField, let label = child.label else { return nil }
      return field.declaration(label: String(label.dropFirst()))
    }
  }

  /// The inputs with these values; throws a ``TypeMismatch`` where one is missing or does not fit.
  public init(values: ValueObject) throws {
    self.init()
    if Self.self == NoInput.self { return }
    for child in Mirror(reflecting: self).children {
      guard let field = child.value as? any AnyField, let label = child.label else { continue }
      let name = field.explicitName ?? String(label.dropFirst())
      try field.set(values[name], name: name)
    }
  }
}

/// One input of an action.
@propertyWrapper public struct Field<Wrapped: FieldValue>: Sendable {
  private let slot: Slot
  private let summary: String
  private let defaultValue: Wrapped?
  fileprivate let name: String?

  /// Written once, while the inputs are made and before the action sees them; only read from then on. That is the
  /// whole proof that sharing it is safe: `set` is called by `ActionInput.init(values:)` alone, on a value nobody else
  /// has yet.
  private final class Slot: @unchecked Sendable {
    var value: Wrapped?
    init(_ value: Wrapped?) { self.value = value }
  }

  /// A field without a default: required, unless its type is optional.
  public init(_ summary: String, name: String? = nil) {
    self.summary = summary
    self.name = name
    defaultValue = nil
    slot = Slot(Wrapped.absent)
  }

  /// A field with a default.
  public init(wrappedValue: Wrapped, _ summary: String, name: String? = nil) {
    self.summary = summary
    self.name = name
    defaultValue = wrappedValue
    slot = Slot(wrappedValue)
  }

  /// The value that the step gave, or the default.
  public var wrappedValue: Wrapped {
    guard let value = slot.value else {
      preconditionFailure("input '\(name ?? summary)' is read before the inputs were made from a step")
    }
    return value
  }
}

/// What the derivation needs of a field, whatever its type.
protocol AnyField {
  var explicitName: String? { get }
  func declaration(label: String) -> FieldDeclaration
  func set(_ value: Value?, name: String) throws
}

extension Field: AnyField {
  var explicitName: String? { name }

  func declaration(label: String) -> FieldDeclaration {
    FieldDeclaration(
      name ?? label, Wrapped.valueType, isRequired: defaultValue == nil && Wrapped.absent == nil,
      default: Wrapped.absent == nil ? defaultValue?.value : defaultValue.flatMap { $0.value.isNull ? nil : $0.value },
      summary: summary)
  }

  func set(_ value: Value?, name: String) throws {
    guard let value, !value.isNull || Wrapped.acceptsNull else {
      guard slot.value != nil else {
        throw TypeMismatch(path: name, expected: Wrapped.valueType.expectation, found: "nothing")
      }
      return
    }
    guard let converted = Wrapped(value) else {
      throw Wrapped.valueType.mismatch(of: value, at: name)
        ?? TypeMismatch(path: name, expected: Wrapped.valueType.expectation, found: value.shortText)
    }
    slot.value = converted
  }
}
