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
  /// The environment variables that secrets come from, as the file names them; with the inputs of a run there is
  /// `secretVariables(inputs:)`. Commands get them only from steps that use the secret.
  public var secretVariables: Set<String> {
    Set(
      secrets.compactMap { secret in
        if case .environment(let name) = secret.source { name } else { nil }
      })
  }
}
