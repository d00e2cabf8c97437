import FlowModel

/// The manifest of an external plugin, read from its `plugin.yaml`.
public struct PluginManifest: Sendable {
  /// The program of the plugin.
  public enum Program: Sendable, Hashable {
    /// A program and its arguments, which is started in the plugin's folder. It has at least one word.
    case command([String])
    /// A Swift file, which flowrun compiles. Its path is relative to the plugin's folder.
    case source(String)
  }

  /// An action of the plugin.
  public struct Action: Sendable {
    /// The declaration of the action.
    public var declaration: ActionDeclaration
    /// True if errors without their own setting may be retried.
    public var isRetryable: Bool
  }

  /// The name of the plugin, which is the prefix of its actions' names.
  public var name: String
  /// The version of the plugin, as written.
  public var version: String
  /// The version of the protocol, which is always 1.
  package var protocolVersion: Int
  /// The program that runs the actions.
  public var program: Program
  /// The environment variables that are passed to the program, in addition to `PATH`.
  public var environment: [String]
  /// The actions in file order.
  public var actions: [Action]
  /// The executor that the plugin provides, or nil.
  public var executor: Executor?

  /// The programs of an executor.
  public struct Executor: Sendable, Hashable {
    /// The program that connects to a worker's standard input and output, and its arguments. In these, `{value}` is
    /// replaced by the value of `--on NAME=`, `{place}` by the name of the worker, `{worker}` by the worker's command
    /// and `{worker-line}` by the same command quoted for a shell.
    public var command: [String]
    /// The program that prints the workers, one per line: a name and a number of slots.
    public var places: [String]
  }

  /// A description, or an empty string.
  public var summary: String
}
