import FlowModel

extension Workflow {
  /// Returns the mask for a run with these secrets and inputs; nil if none is secret, unless the run `mayLearnMore`.
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
  /// Also hides each text of the value of an event from now on.
  public func add(_ value: Value, of event: String, number: Int) {
    var texts: [String] = []
    Self.collect(value, into: &texts)
    add(
      texts.filter { $0.count >= Limits.secretCharacters }.enumerated().map {
        ("\(Self.eventPrefix)\(event):\(number):\($0)", $1)
      })
  }

  /// The beginning of the names of secrets that came with an event. A resumed run does not have them.
  static let eventPrefix = "events."

  /// The beginning of the names of secrets that people have answered. A resumed run does not have them.
  public static let answerPrefix = "answers."

  /// Whether a recorded text stands for a secret that a person has answered.
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
