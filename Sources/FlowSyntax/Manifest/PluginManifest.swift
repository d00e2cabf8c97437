import FlowModel

/// The contents of an external plugin's `plugin.yaml`.
public struct PluginManifest: Sendable {
  /// The program of the plugin.
  public enum Program: Sendable, Hashable {
    /// A program with its arguments, run in the plugin's folder; at least one word.
    case command([String])
    /// A Swift file, relative to the plugin's folder, that flowrun compiles.
    case source(String)
  }

  /// An action, with properties that its declaration does not include.
  public struct Action: Sendable {
    /// The declaration for the loader, `schema` and `plugins show`.
    public var declaration: ActionDeclaration
    /// True if an error may be retried unless it states otherwise.
    public var isRetryable: Bool
  }

  /// The prefix of its actions' names.
  public var name: String
  /// The version as written.
  public var version: String
  /// The version of the protocol; 1 is the only one.
  public var protocolVersion: Int
  /// The program to start.
  public var program: Program
  /// The environment variables that are passed to the program in addition to `PATH`.
  public var environment: [String]
  /// The actions in file order.
  public var actions: [Action]
  /// The executor that the plugin provides, or nil.
  public var executor: Executor?

  /// The programs with which an executor starts workers.
  public struct Executor: Sendable, Hashable {
    /// The program that transports a worker's standard input and output, and its arguments. `{value}` is replaced by
    /// the value of `--on NAME=`, `{location}` by the place, `{worker}` by the worker's command and `{worker-line}` by
    /// the same command quoted for a shell.
    public var command: [String]
    /// The program that prints the workers, one per line: a name and the number of slots.
    public var places: [String]
  }

  /// A description, or empty.
  public var summary: String
}
