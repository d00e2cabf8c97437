import FlowModel

extension Workflow {
  /// Returns the mask for a run with these secrets and inputs. Returns nil if none of them is secret and the run cannot
  /// receive further secrets (`mayLearnMore`).
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
  /// Also masks these texts from now on, except short texts and texts that are masked already. A resumed run reads null
  /// in place of them from its records.
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

  /// True if the whole text is a secret.
  func covers(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in hiddenRanges(in: bytes, isCut: false) == [0..<bytes.count] }
  }

  /// Returns the part of a value that may be stored in a run store. Texts and numbers in it are replaced by null,
  /// except for texts that are a whole secret, which the store replaces by a placeholder. A nil mask has no secrets.
  package static func withheld(_ value: Value, by mask: SecretMask?) -> Value {
    switch value {
    case .string(let text): mask?.covers(text) == true ? value : .null
    case .array(let values): .array(values.map { withheld($0, by: mask) })
    case .object(let members): .object(ValueObject(members.map { ($0.0, withheld($0.1, by: mask)) }))
    case .integer, .number: .null
    case .boolean, .null: value
    }
  }

  /// Returns a value with all strings and numbers masked.
  package static func allHidden(_ value: Value) -> Value {
    switch value {
    case .string, .integer, .number: .string(hidden)
    case .array(let values): .array(values.map { allHidden($0) })
    case .object(let members): .object(ValueObject(members.map { ($0.0, allHidden($0.1)) }))
    case .boolean, .null: value
    }
  }

  /// Also masks each text in the value of an event from now on, except short texts.
  package func add(_ value: Value, of event: String, number: Int) {
    var texts: [String] = []
    Self.collect(value, into: &texts)
    add(
      texts.filter { $0.count >= Limits.secretCharacters }.enumerated().map {
        ("\(Self.eventPrefix)\(event):\(number):\($0)", $1)
      })
  }

  /// The prefix of names for secrets that came with an event. A resumed run does not have these secrets.
  static let eventPrefix = "events."

  /// The prefix of names for secrets in people's answers. A resumed run does not have these secrets.
  package static let answerPrefix = "answers."

  /// Returns true if recorded values contain a placeholder for a secret in a person's answer.
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
