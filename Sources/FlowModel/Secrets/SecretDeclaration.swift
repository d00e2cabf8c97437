/// A secret that a workflow declares: a text that its runs are given and that never comes out of them.
public struct SecretDeclaration: Sendable, Hashable {
  /// The name that `secrets.NAME` uses.
  public var name: String
  /// Where the text comes from.
  public var source: Source
  /// Whether a run cannot start without it.
  public var isRequired: Bool

  /// Where the text of a secret comes from.
  public enum Source: Sendable, Hashable {
    /// A variable of flowrun's own environment, or of the workflow's `env-file`.
    case environment(String)
    /// A file, relative to the workflow's folder.
    case file(String)
    /// What a program writes: the program and its arguments.
    case command([String])
  }

  /// Declares a secret.
  public init(_ name: String, _ source: Source, isRequired: Bool = true) {
    self.name = name
    self.source = source
    self.isRequired = isRequired
  }
}

extension Workflow {
  /// The variables that its secrets come from, which no command gets that is not given them.
  public var secretVariables: Set<String> {
    Set(
      secrets.compactMap { secret in
        if case .environment(let name) = secret.source { name } else { nil }
      })
  }

  /// What hides the secrets of a run that is given these; nil: there are none.
  public func mask(secrets values: ValueObject, inputs: ValueObject) -> SecretMask? {
    var texts: [(name: String, text: String)] = []
    for secret in secrets { if let text = values[secret.name]?.stringValue { texts.append((secret.name, text)) } }
    for input in self.inputs where input.isSecret {
      guard let text = inputs[input.name]?.stringValue else { continue }
      texts.append(("inputs.\(input.name)", text))
      for (index, part) in SecretParts.all(of: text).enumerated() {
        texts.append(("inputs.\(input.name):\(index)", part))
      }
    }
    return texts.isEmpty ? nil : SecretMask(texts)
  }
}
