/// A secret declared by a workflow: a text that its runs can use and that is masked in all output.
public struct SecretDeclaration: Sendable, Hashable {
  /// The name in `secrets.NAME`.
  public var name: String
  /// The source of the text.
  public var source: Source
  /// True if a run cannot start without it.
  public var isRequired: Bool

  /// The source of a secret's text.
  public enum Source: Sendable, Hashable {
    /// A variable of flowrun's environment, or of the workflow's `env-file`.
    case environment(String)
    /// A file, relative to the workflow's folder.
    case file(String)
    /// The standard output of a program, given as the program and its arguments.
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
  /// The environment variables that the file names as sources of secrets; `secretVariables(inputs:)` also resolves run
  /// inputs. Commands receive them only from steps that use the secret.
  public var secretVariables: Set<String> {
    Set(
      secrets.compactMap { secret in
        if case .environment(let name) = secret.source { name } else { nil }
      })
  }
}
