/// The rules for the values that a workflow's events can have.
package struct EventValueRules: Sendable {
  /// The declared types of values, by event.
  private var declared: [String: FieldDeclaration] = [:]
  /// The types of values that only steps may post, by event.
  private var own: [String: FieldDeclaration] = [:]

  /// True if the value of some event may be secret.
  package private(set) var hasSecrets = false

  /// Creates the rules for the events that a workflow declares.
  package init(_ workflow: Workflow) {
    // For an iterator, the runtime would create the type of the array.
    for index in workflow.events.indices {
      if let value = workflow.events[index].value { declare(value, of: workflow.events[index].name) }
    }
  }

  /// Adds the rules for the events that an action of the workflow's steps posts or follows.
  ///
  /// Actions are added one by one, because a generic sequence of them would make the runtime search all conformances of
  /// the program, which took a tenth of the time to start an embedded launch.
  package mutating func add(_ action: ActionDeclaration) {
    for value in action.eventValues {
      own[value.name] = value
      hasSecrets = hasSecrets || value.isSecret || value.type.hasSecretProperties
    }
    for event in action.follows where LifecycleEvent(rawValue: event)?.isLink == true { declare(Self.link, of: event) }
  }

  private mutating func declare(_ value: FieldDeclaration, of event: String) {
    declared[event] = value
    hasSecrets = hasSecrets || value.isSecret || value.type.hasSecretProperties
  }

  /// The value of an event for a link that opens the app. It is secret, because a link may contain a token.
  private static let link = {
    var field = FieldDeclaration("value", .any)
    field.isSecret = true
    return field
  }()

  /// Returns the part of an event's value that must be hidden, or nil if there is none. If the type has secret
  /// properties at any depth and the value matches it, only these are hidden.
  package func secretPart(of value: Value, _ event: String) -> Value? {
    guard let field = own[event] ?? declared[event] else { return nil }
    if field.type.hasSecretProperties, field.type.mismatch(of: value) == nil || value.isNull {
      return .array(field.type.secretProperties(of: value))
    }
    guard field.isSecret || field.type.hasSecretProperties else { return nil }
    return value
  }

  /// Returns the problem with a value that comes from outside the run, or nil if it is valid. An event whose value is a
  /// secret of a step, such as the link of `router.link`, can only be posted by steps, because the event means nothing
  /// without its value.
  package func problem(fromOutside value: Value, of event: String) -> EventValueProblem? {
    if let field = own[event], field.isSecret {
      return EventValueProblem("event '\(event)': only steps of the run post it")
    }
    guard !value.isNull else { return nil }
    if own[event] != nil {
      return EventValueProblem("event '\(event)': only steps of the run post it with a value")
    }
    guard declared[event] != nil else {
      return EventValueProblem(
        "event '\(event)' carries no value; declare it under 'events' with 'value: { type: … }'")
    }
    return problem(value, of: event)
  }

  /// Returns the problem with a value that a step posts, or nil if it is valid.
  package func problem(_ value: Value, of event: String) -> EventValueProblem? {
    if value.isNull { return nil }
    let field = own[event] ?? declared[event]
    let isSecret = field.map { $0.isSecret || $0.type.hasSecretProperties } ?? false
    if let mismatch = field?.type.mismatch(of: value) {
      // The message must not contain a secret, even if the value has the wrong type.
      let path = mismatch.path.isEmpty ? "" : "'\(mismatch.path)': "
      let problem = isSecret ? "\(path)expected \(mismatch.expected)" : mismatch.description
      return EventValueProblem("the value of event '\(event)' does not match its type: \(problem)")
    }
    guard JSONText.bytes(of: value).count > Limits.eventValueBytes else { return nil }
    return EventValueProblem("the value of event '\(event)' is larger than \(Limits.eventValueBytes >> 10) KiB")
  }
}

/// The reason why an event cannot be posted with a value.
public struct EventValueProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence that describes the problem and the expected form.
  public let description: String

  init(_ description: String) { self.description = description }

  /// Creates the problem that all event values of a run together exceed `limit` bytes.
  package init(tooLarge limit: Int) {
    self.init("the values of the run's events are larger than \(limit >> 20) MiB together")
  }
}

extension ValueType {
  /// True if the type has a secret property at any depth.
  var hasSecretProperties: Bool {
    switch self {
    case .array(let element): element.hasSecretProperties
    case .object(let properties?): properties.contains { $0.isSecret || $0.type.hasSecretProperties }
    default: false
    }
  }

  /// Returns all secret properties of a value of this type, at any depth.
  func secretProperties(of value: Value) -> [Value] {
    switch self {
    case .array(let element): return (value.arrayValue ?? []).flatMap { element.secretProperties(of: $0) }
    case .object(let properties?):
      guard let object = value.objectValue else { return [] }
      return properties.flatMap { property -> [Value] in
        guard let value = object[property.name] else { return [] }
        if property.type.hasSecretProperties { return property.type.secretProperties(of: value) }
        return property.isSecret ? [value] : []
      }
    default: return []
    }
  }
}
