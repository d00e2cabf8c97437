/// A secret that a workflow declares. Steps can use it, and it is hidden in all output.
package struct SecretDeclaration: Sendable, Hashable {
  /// The name by which expressions read the secret, as in `secrets.NAME`.
  package var name: String
  package var source: Source
  /// True if a run cannot start without a value for the secret.
  package var isRequired: Bool

  package enum Source: Sendable, Hashable {
    /// A variable in flowrun's environment or in the workflow's `env-file`.
    case environment(String)
    /// The content of a file. The path is relative to the workflow's folder.
    case file(String)
    /// The output of a program. The words are the program and its arguments.
    case command([String])

    /// The strings that may contain expressions: the name, the path, or the words of the program.
    package var texts: [String] {
      switch self {
      case .environment(let text), .file(let text): [text]
      case .command(let words): words
      }
    }
  }

  package init(_ name: String, _ source: Source, isRequired: Bool = true) {
    self.name = name
    self.source = source
    self.isRequired = isRequired
  }
}

extension Workflow {
  /// The environment variables that the file names literally as sources of secrets. `secretVariables(inputs:)` also
  /// includes names that depend on inputs. Only commands of steps that use the secret receive these variables.
  package var secretVariables: Set<String> {
    Set(
      secrets.compactMap { secret in
        if case .environment(let name) = secret.source { name } else { nil }
      })
  }
}
