import FlowModel

/// The inputs of an action: a struct whose stored properties are all ``Field``s.
///
/// ```swift
/// struct Input: ActionInput {
///   @Field("Where the store is") var path: DataPath
///   @Field("Folders with migrations") var migrations: [String] = []
///   @Field("How often to look") var pollInterval: Duration?
/// }
/// ```
///
/// The table of fields (name, type, required, default, summary) is derived once from the struct; `pollInterval` becomes
/// `poll-interval` in a workflow. A property that has neither a default nor an optional type is required.
public protocol ActionInput: Sendable {
  /// Makes inputs with defaults, and without values for required fields. Each call must make new fields: a call of an
  /// action whose inputs share fields fails.
  /// theirs fails.
  init()
}

/// No inputs.
public struct NoInput: ActionInput {
  /// Makes empty inputs.
  public init() {}
}

extension ActionInput {
  /// The declared fields in the order of the struct.
  static func fieldDeclarations() -> [FieldDeclaration] {
    if Self.self == NoInput.self { return [] }
    return Mirror(reflecting: Self()).children.compactMap { child in
      guard let field = child.value as? any AnyField, let label = child.label else { return nil }
      return field.declaration(label: String(label.dropFirst()))
    }
  }

  /// The inputs with these values; throws a `TypeMismatch` where one is missing or does not fit, and an ``ActionError`` where
  /// `init()` returns the fields of another value.
  public init(values: ValueObject) throws {
    self.init()
    if Self.self == NoInput.self { return }
    if Self.sharesFields(self, Self()) {
      throw ActionError(
        "shared-inputs", "'\(Self.self)()' returns fields that it returned before; calls would get each other's inputs",
        isRetryable: false)
    }
    for child in Mirror(reflecting: self).children {
      guard let field = child.value as? any AnyField, let label = child.label else { continue }
      let name = String(label.dropFirst()).kebabCase
      try field.anySlot.set(values[name], name: name)
    }
  }

  /// Whether two values have a field in common.
  static func sharesFields(_ one: Self, _ other: Self) -> Bool {
    zip(Mirror(reflecting: one).children, Mirror(reflecting: other).children).contains { one, other in
      guard let one = one.value as? any AnyField, let other = other.value as? any AnyField else { return false }
      return one.anySlot === other.anySlot
    }
  }
}

/// One input of an action.
///
/// What is inlinable here is so that a plugin makes and reads its fields without asking the runtime for their types.
@propertyWrapper public struct Field<Wrapped: ColumnValue>: Sendable {
  @usableFromInline let slot: Slot
  @usableFromInline let summary: String
  @usableFromInline let defaultValue: Wrapped?
  @usableFromInline let isSecret: Bool

  /// Where the field keeps its value.
  ///
  /// Proof of safety: `set` is called by `ActionInput.init(values:)` and `InputMaker` alone, on a value that is not shared
  /// yet, since both check that the type makes new fields each time; once the action has the inputs, `value` is only read.
  @usableFromInline final class Slot: FieldSlot, @unchecked Sendable {
    @usableFromInline var value: Wrapped?
    @inlinable init(_ value: Wrapped?) { self.value = value }

    override func set(_ value: Value?, name: String) throws {
      guard let value, !value.isNull || Wrapped.acceptsNull else {
        guard self.value != nil else {
          throw TypeMismatch(path: name, expected: Wrapped.valueType.expectation, found: "nothing")
        }
        return
      }
      guard let converted = Wrapped(value) else {
        throw Wrapped.valueType.mismatch(of: value, at: name)
          ?? TypeMismatch(path: name, expected: Wrapped.valueType.expectation, found: value.shortText)
      }
      self.value = converted
    }
  }

  /// A field without a default: required, unless its type is optional. One that `isSecret` may be given secrets.
  @inlinable public init(_ summary: String, isSecret: Bool = false) {
    self.summary = summary
    self.isSecret = isSecret
    defaultValue = nil
    slot = Slot(Wrapped.absent)
  }

  /// A field with a default. One that `isSecret` may be given secrets.
  @inlinable public init(wrappedValue: Wrapped, _ summary: String, isSecret: Bool = false) {
    self.summary = summary
    self.isSecret = isSecret
    defaultValue = wrappedValue
    slot = Slot(wrappedValue)
  }

  /// The value that the step gave, or the default.
  @inlinable public var wrappedValue: Wrapped {
    guard let value = slot.value else {
      preconditionFailure("input '\(summary)' is read before the inputs were made from a step")
    }
    return value
  }
}

/// Where a field keeps its value, whatever its type.
///
/// Proof of safety: it has no members, and the one subclass, `Field.Slot`, proves the same of its own.
@usableFromInline class FieldSlot: @unchecked Sendable {
  @inlinable init() {}

  /// Takes the value, or keeps the default where none is given; throws a ``TypeMismatch``.
  func set(_ value: Value?, name: String) throws { preconditionFailure("each field has a slot of its type") }
}

/// What the derivation needs of a field, whatever its type.
protocol AnyField {
  /// Where the value is kept; the first thing in the field's memory.
  var anySlot: FieldSlot { get }
  /// Size and alignment of the field in memory.
  static var layout: (size: Int, alignment: Int) { get }
  func declaration(label: String) -> FieldDeclaration
}

extension Field: AnyField {
  var anySlot: FieldSlot { slot }
  static var layout: (size: Int, alignment: Int) { (MemoryLayout<Self>.size, MemoryLayout<Self>.alignment) }

  func declaration(label: String) -> FieldDeclaration {
    var declaration = FieldDeclaration(
      label.kebabCase, Wrapped.valueType, isRequired: defaultValue == nil && Wrapped.absent == nil,
      default: Wrapped.absent == nil ? defaultValue?.value : defaultValue.flatMap { $0.value.isNull ? nil : $0.value },
      summary: summary)
    declaration.isSecret = isSecret
    return declaration
  }
}
