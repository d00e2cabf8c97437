import FlowModel

/// A Swift type for an object with known members. The build plugin generates such types for the inputs and outputs of
/// workflows.
public protocol FieldObject: ColumnValue {
  /// Creates the object from its members. Throws a `TypeMismatch` if a member is missing or has the wrong type.
  init(values: ValueObject) throws
  /// The object's members, by the names used in workflows.
  var values: ValueObject { get }
}

extension FieldObject {
  /// An object with any members. The members are declared in the interface from which the type is generated.
  public static var valueType: ColumnType { ColumnType(.object(properties: nil)) }

  /// Returns nil if `value` is not an object or its members do not match the type.
  public init?(_ value: Value) {
    guard let members = value.objectValue, let object = try? Self(values: members) else { return nil }
    self = object
  }

  /// The object as a value of a workflow.
  public var value: Value { .object(values) }
}

extension ValueObject {
  /// Returns a member converted to a Swift type, or nil for a missing member of optional type. Throws a `TypeMismatch`
  /// if another member is missing or has the wrong type.
  public func field<Wrapped: ColumnValue>(_ name: String, as type: Wrapped.Type = Wrapped.self) throws -> Wrapped {
    let value = self[name] ?? .null
    if value.isNull, !Wrapped.acceptsNull, let absent = Wrapped.absent { return absent }
    guard let converted = Wrapped(value) else {
      throw TypeMismatch(path: name, expected: Wrapped.valueType.type.expectation, found: value.shortText)
    }
    return converted
  }

  /// Sets a member, unless the value is null.
  public mutating func add(_ name: String, _ value: some ColumnValue) {
    let value = value.value
    if !value.isNull { self[name] = value }
  }
}

/// The event names of a workflow. The build plugin generates an enum that conforms to it.
public protocol EventName: RawRepresentable<String>, Sendable {}

extension ActionContext {
  /// Posts an event. Throws an error if the action does not declare it, or if the run has already posted 10,000 events.
  public func post(_ event: some EventName) throws { try post(event.rawValue) }

  /// Posts an event with a value of at most 64 KiB. In addition to the errors of ``post(_:)``, throws one if the value
  /// does not match the declaration of the event.
  public func post(_ event: some EventName, value: Value) throws { try post(event.rawValue, value: value) }
}
