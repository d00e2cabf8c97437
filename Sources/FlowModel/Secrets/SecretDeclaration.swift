/// A secret that a workflow declares: a text that its runs get and hide in all output.
public struct SecretDeclaration: Sendable, Hashable {
  /// The name that `secrets.NAME` uses.
  public var name: String
  /// The source of the text.
  public var source: Source
  /// Whether a run cannot start without it.
  public var isRequired: Bool

  /// The source of a secret's text.
  public enum Source: Sendable, Hashable {
    /// A variable of flowrun's environment, or of the workflow's `env-file`.
    case environment(String)
    /// A file, relative to the workflow's folder.
    case file(String)
    /// The standard output of a program: the program and its arguments.
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
  /// The environment variables that secrets come from. Commands get them only from steps that use the secret.
  public var secretVariables: Set<String> {
    Set(
      secrets.compactMap { secret in
        if case .environment(let name) = secret.source { name } else { nil }
      })
  }

  /// Returns the mask for a run with these secrets and inputs; nil if none is secret.
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
