import FlowModel

extension Workflow {
  /// Returns the mask for a run with these secrets and inputs, or nil if none is secret, unless the run `mayLearnMore`.
  package func mask(secrets values: ValueObject, inputs: ValueObject, mayLearnMore: Bool = false) -> SecretMask? {
    var texts: [(name: String, text: String)] = []
    for secret in secrets { if let text = values[secret.name]?.stringValue { texts.append((secret.name, text)) } }
    for input in self.inputs where input.isSecret {
      guard let text = inputs[input.name]?.stringValue else { continue }
      texts.append(("inputs.\(input.name)", text))
      for (index, part) in SecretParts.all(of: text).enumerated() {
        texts.append(("inputs.\(input.name):\(index)", part))
      }
    }
    return texts.isEmpty && !mayLearnMore ? nil : SecretMask(texts)
  }
}

extension SecretMask {
  /// Also hides each of these texts from now on, except short ones. A resumed run has null for them.
  package func add(_ texts: [String], of step: String) {
    let new = Set(texts).filter { $0.utf8.count >= SecretParts.leastBytes && !covers($0) }.sorted()
    add(new.enumerated().map { ("\(Self.eventPrefix)\(step):0:\($0)", $1) })
  }

  /// Returns the links in launch options, and the reply to a notification.
  package static func links(in launchOptions: ValueObject) -> [String] { links(in: .object(launchOptions), under: "") }

  private static func links(in value: Value, under key: String) -> [String] {
    switch value {
    case .string(let text): text.contains("://") || key == "userText" ? [text] : []
    case .array(let values): values.flatMap { links(in: $0, under: key) }
    case .object(let members): members.flatMap { links(in: $0.1, under: $0.0) }
    default: []
    }
  }

  /// True if a text consists only of a secret.
  func covers(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in hiddenRanges(in: bytes, isCut: false) == [0..<bytes.count] }
  }

  /// Returns the parts of a value that a run store may have: a text or number in it is null, except a secret as a whole, which
  /// has a placeholder there. A nil mask has no secrets.
  package static func withheld(_ value: Value, by mask: SecretMask?) -> Value {
    switch value {
    case .string(let text): mask?.covers(text) == true ? value : .null
    case .array(let values): .array(values.map { withheld($0, by: mask) })
    case .object(let members): .object(ValueObject(members.map { ($0.0, withheld($0.1, by: mask)) }))
    case .integer, .number: .null
    case .boolean, .null: value
    }
  }

  /// Returns a value with all of its strings and numbers hidden.
  package static func allHidden(_ value: Value) -> Value {
    switch value {
    case .string, .integer, .number: .string(hidden)
    case .array(let values): .array(values.map { allHidden($0) })
    case .object(let members): .object(ValueObject(members.map { ($0.0, allHidden($0.1)) }))
    case .boolean, .null: value
    }
  }

  /// Also hides each text of the value of an event from now on.
  package func add(_ value: Value, of event: String, number: Int) {
    var texts: [String] = []
    Self.collect(value, into: &texts)
    add(
      texts.filter { $0.count >= Limits.secretCharacters }.enumerated().map {
        ("\(Self.eventPrefix)\(event):\(number):\($0)", $1)
      })
  }

  /// The name prefix of secrets received with an event, which a resumed run does not have.
  static let eventPrefix = "events."

  /// The name prefix of secrets in people's answers, which a resumed run does not have.
  package static let answerPrefix = "answers."

  /// Returns whether recorded values contain a placeholder for a secret in a person's answer.
  package static func holdsAnswer(_ object: ValueObject) -> Bool { object.contains { holdsAnswer($0.1) } }

  private static func holdsAnswer(_ value: Value) -> Bool {
    switch value {
    case .string(let text): text.firstRange(of: "{secret:\(answerPrefix)") != nil
    case .array(let values): values.contains { holdsAnswer($0) }
    case .object(let object): holdsAnswer(object)
    default: false
    }
  }

  private static func collect(_ value: Value, into texts: inout [String]) {
    switch value {
    case .string(let text): texts.append(text)
    case .array(let values): for value in values { collect(value, into: &texts) }
    case .object(let object): for (_, value) in object { collect(value, into: &texts) }
    default: break
    }
  }
}
