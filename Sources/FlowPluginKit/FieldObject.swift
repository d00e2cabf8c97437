import FlowModel

/// An object whose members are known, as a Swift type: inputs and outputs that the build plugin generates.
public protocol FieldObject: ColumnValue {
  /// The object with these members; throws a `TypeMismatch` where one is missing or does not fit.
  init(values: ValueObject) throws
  /// The members by name.
  var values: ValueObject { get }
}

extension FieldObject {
  /// An object of any members: the interface that the type is generated from states them.
  public static var valueType: ValueType { .object(properties: nil) }

  /// The object, or nil when `value` does not fit.
  public init?(_ value: Value) {
    guard let members = value.objectValue, let object = try? Self(values: members) else { return nil }
    self = object
  }

  /// The value as workflows know it.
  public var value: Value { .object(values) }
}

extension ValueObject {
  /// The member `name` as a Swift value; throws a `TypeMismatch` where it is missing or does not fit.
  public func field<Wrapped: ColumnValue>(_ name: String, as type: Wrapped.Type = Wrapped.self) throws -> Wrapped {
    let value = self[name] ?? .null
    if value.isNull, !Wrapped.acceptsNull, let absent = Wrapped.absent { return absent }
    guard let converted = Wrapped(value) else {
      throw TypeMismatch(path: name, expected: Wrapped.valueType.expectation, found: value.shortText)
    }
    return converted
  }

  /// The same object with a member, unless the value is null.
  public mutating func add(_ name: String, _ value: some ColumnValue) {
    let value = value.value
    if !value.isNull { self[name] = value }
  }
}

/// The name of an event that a workflow declares, from the code that the build plugin generates.
public protocol EventName: RawRepresentable<String>, Sendable {}

extension ActionContext {
  /// Posts an event; throws when the action does not declare it.
  public func post(_ event: some EventName) throws { try post(event.rawValue) }

  /// Posts an event with a value; throws when the action does not declare the event or the value does not fit.
  public func post(_ event: some EventName, value: Value) throws { try post(event.rawValue, value: value) }
}
