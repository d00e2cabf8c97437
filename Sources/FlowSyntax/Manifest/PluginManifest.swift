import FlowModel

/// What an external plugin says of itself in its `plugin.yaml`.
public struct PluginManifest: Sendable {
  /// How the plugin's program is started.
  public enum Program: Sendable, Hashable {
    /// A program with its arguments, run in the plugin's folder; at least one word.
    case command([String])
    /// A Swift file, relative to the plugin's folder, that flowrun compiles.
    case source(String)
  }

  /// An action with what its declaration has no place for.
  public struct Action: Sendable {
    /// What the loader, `schema` and `plugins show` read.
    public var declaration: ActionDeclaration
    /// Whether an error that does not say so itself can be retried.
    public var isRetryable: Bool
  }

  /// The name that its actions begin with.
  public var name: String
  /// The version as written.
  public var version: String
  /// The protocol that the program speaks; 1 is the only one.
  public var protocolVersion: Int
  /// How it is started.
  public var program: Program
  /// The environment variables that the program may see besides `PATH`.
  public var environment: [String]
  /// The actions in the order of the file.
  public var actions: [Action]
  /// How steps are sent away through the plugin; nil: they are not.
  public var executor: Executor?

  /// How an executor starts workers.
  public struct Executor: Sendable, Hashable {
    /// The program that carries a worker's standard input and output, with its arguments; `{value}` stands for what
    /// `--on NAME=` is given, `{location}` for the place, `{worker}` for the worker's command and `{worker-line}` for
    /// that as a text for a shell.
    public var command: [String]
    /// The program that prints the workers, one per line: a name, and how many steps it runs at once.
    public var places: [String]
  }

  /// What the plugin is for, or empty.
  public var summary: String
}
