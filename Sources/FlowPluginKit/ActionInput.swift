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
/// The declarations of the fields (name, type, required, default, summary) are derived from the struct. The property
/// `pollInterval` is called `poll-interval` in a workflow. A property is required unless it has a default value or an
/// optional type.
public protocol ActionInput: Sendable {
  /// Creates inputs with default values. Each call must create new fields. An action whose inputs share fields cannot
  /// run.
  init()
}

/// The inputs of an action that has none.
public struct NoInput: ActionInput {
  /// Creates empty inputs.
  public init() {}
}

extension ActionInput {
  /// Returns the declarations of the fields in the order of the properties.
  static func fieldDeclarations() -> [FieldDeclaration] {
    let input = Self()
    return withUnsafeBytes(of: input) { bytes in
      InputField.all(of: Self.self).map { $0.type.declaration(at: bytes.baseAddress! + $0.offset, label: $0.label) }
    }
  }

  /// Creates inputs from values. Throws a `TypeMismatch` if a value is missing or has the wrong type, and an
  /// ``ActionError`` if `init()` returned fields that it had returned before.
  public init(values: ValueObject) throws {
    self = try InputMaker().make(values)
  }
}

/// A field of an action's inputs, with its offset in the struct.
struct InputField {
  /// The name of the property as declared in Swift.
  var label: String
  /// The name of the input in workflows.
  var name: String
  /// The offset in the struct, in bytes.
  var offset: Int
  var type: any AnyField.Type

  /// Returns the fields of a struct in the order of their declaration. Properties that are not fields are left out.
  static func all(of inputs: (some ActionInput).Type) -> [InputField] {
    if inputs == NoInput.self { return [] }
    return StoredProperty.all(of: inputs).compactMap { property in
      guard let type = property.type as? any AnyField.Type else { return nil }
      let label = String(property.label.dropFirst())
      return InputField(label: label, name: label.kebabCase, offset: property.offset, type: type)
    }
  }
}

/// An input of an action: a property wrapper that declares its description and default value.
///
/// Members are inlinable, so that a plugin creates and reads its fields without type lookups at run time.
@propertyWrapper public struct Field<Wrapped: ColumnValue>: Sendable {
  @usableFromInline let slot: Slot
  @usableFromInline let summary: String
  @usableFromInline let defaultValue: Wrapped?
  @usableFromInline let isSecret: Bool
  @usableFromInline let refusesNull: Bool

  /// The storage of a field's value. It is a class, so that inputs can be set after their creation.
  ///
  /// Proof of safety: only `InputMaker` calls `set`, on a value that has not been shared, because it checks that the
  /// type creates new fields each time. Once the action has the inputs, `value` is only read.
  @usableFromInline final class Slot: FieldSlot, @unchecked Sendable {
    @usableFromInline var value: Wrapped?
    @usableFromInline let refusesNull: Bool
    @inlinable init(_ value: Wrapped?, refusesNull: Bool = false) {
      self.value = value
      self.refusesNull = refusesNull
    }

    override func set(_ value: Value?, name: String) throws {
      guard let value, !value.isNull || Wrapped.acceptsNull || refusesNull else {
        guard self.value != nil else {
          throw TypeMismatch(path: name, expected: Wrapped.valueType.type.expectation, found: "nothing")
        }
        return
      }
      guard let converted = Wrapped(value) else {
        throw Wrapped.valueType.type.mismatch(of: value, at: name)
          ?? TypeMismatch(path: name, expected: Wrapped.valueType.type.expectation, found: value.shortText)
      }
      self.value = converted
    }
  }

  /// Creates a field without a default value. It is required unless its type is optional. If `isSecret`, a step may set
  /// it to a secret.
  @inlinable public init(_ summary: String, isSecret: Bool = false) {
    self.summary = summary
    self.isSecret = isSecret
    refusesNull = false
    defaultValue = nil
    slot = Slot(Wrapped.absent)
  }

  /// Creates a field that a step may leave out but not set to null, because the action affects more without it.
  package init(refusingNull summary: String) {
    self.summary = summary
    isSecret = false
    refusesNull = true
    defaultValue = nil
    slot = Slot(Wrapped.absent, refusesNull: true)
  }

  /// Creates a field with a default value. If `isSecret`, a step may set it to a secret.
  @inlinable public init(wrappedValue: Wrapped, _ summary: String, isSecret: Bool = false) {
    self.summary = summary
    self.isSecret = isSecret
    refusesNull = false
    defaultValue = wrappedValue
    slot = Slot(wrappedValue)
  }

  /// The value that the step sets, or the default value. Traps if the input is required and no value has been set.
  @inlinable public var wrappedValue: Wrapped {
    guard let value = slot.value else {
      preconditionFailure("input '\(summary)' is read before the inputs were made from a step")
    }
    return value
  }
}

/// The storage of a field's value, regardless of its type.
///
/// Proof of safety: it has no members, and its only subclass, `Field.Slot`, has its own proof.
@usableFromInline class FieldSlot: @unchecked Sendable {
  @inlinable init() {}

  /// Sets the value. Nil, and null if the type does not accept it, keep the default value. Throws a ``TypeMismatch`` if
  /// there is no default value to keep, or if the value has the wrong type.
  func set(_ value: Value?, name: String) throws { preconditionFailure("each field has a slot of its type") }
}

/// A ``Field`` of any type, read from the memory of its struct.
///
/// Proof of safety: `StoredProperty` takes the offset of a property of exactly this type from the type's metadata, and
/// the caller keeps the struct alive during the call.
protocol AnyField {
  /// Returns the slot of the field at this address.
  static func slot(at address: UnsafeRawPointer) -> FieldSlot
  /// Returns the declaration of the field at this address.
  static func declaration(at address: UnsafeRawPointer, label: String) -> FieldDeclaration
}

extension Field: AnyField {
  static func slot(at address: UnsafeRawPointer) -> FieldSlot { address.load(as: Self.self).slot }

  static func declaration(at address: UnsafeRawPointer, label: String) -> FieldDeclaration {
    address.load(as: Self.self).declaration(label: label)
  }

  private func declaration(label: String) -> FieldDeclaration {
    var declaration = FieldDeclaration(
      label.kebabCase, Wrapped.valueType.type, isRequired: defaultValue == nil && Wrapped.absent == nil,
      default: Wrapped.absent == nil ? defaultValue?.value : defaultValue.flatMap { $0.value.isNull ? nil : $0.value },
      summary: summary)
    declaration.isSecret = isSecret
    declaration.refusesNull = refusesNull
    return declaration
  }
}
