import FlowModel

extension Workflow {
  /// Returns the mask for a run with these secrets and inputs, or nil if none is secret, unless the run `mayLearnMore`.
  public func mask(secrets values: ValueObject, inputs: ValueObject, mayLearnMore: Bool = false) -> SecretMask? {
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
  /// Masks each text in the value of an event as well from now on.
  public func add(_ value: Value, of event: String, number: Int) {
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
  public static let answerPrefix = "answers."

  /// Returns whether recorded values contain a placeholder for a secret in a person's answer.
  public static func holdsAnswer(_ object: ValueObject) -> Bool { object.contains { holdsAnswer($0.1) } }

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
