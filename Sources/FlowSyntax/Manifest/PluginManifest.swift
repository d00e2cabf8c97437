import FlowModel

/// The manifest of an external plugin, read from its `plugin.yaml`.
public struct PluginManifest: Sendable {
  /// The program that runs the plugin's actions.
  public enum Program: Sendable, Hashable {
    /// The words of a command: a program and its arguments. It has at least one word and is started in the plugin's
    /// folder.
    case command([String])
    /// The path of a Swift file that flowrun compiles, relative to the plugin's folder.
    case source(String)
  }

  /// An action with its declaration and the default for its errors.
  public struct Action: Sendable {
    /// The declaration of the action.
    public var declaration: ActionDeclaration
    /// True if errors of the action can be retried unless their declaration says otherwise.
    public var isRetryable: Bool
  }

  /// The name of the plugin, which is the prefix of its actions' names.
  public var name: String
  /// The version of the plugin, as written in the manifest.
  public var version: String
  /// The version of the protocol between flowrun and the plugin. It is always 1.
  package var protocolVersion: Int
  /// The program that runs the actions.
  public var program: Program
  /// The names of the environment variables that are passed to the program, in addition to `PATH`.
  public var environment: [String]
  /// The actions of the plugin, in file order.
  public var actions: [Action]
  /// The executor that the plugin provides, or nil if it provides none.
  public var executor: Executor?

  /// The commands that list and start the workers of an executor.
  public struct Executor: Sendable, Hashable {
    /// The program that connects to a worker's standard input and output, and its arguments. The arguments may contain
    /// placeholders: `{value}` is the value of `--on NAME=`, `{place}` the name of the worker, `{worker}` the worker's
    /// command, and `{worker-line}` that command quoted for a shell.
    public var command: [String]
    /// The program that prints the available workers, and its arguments. Each line has a name and a number of slots.
    public var places: [String]
  }

  /// A description of the plugin, or an empty string.
  public var summary: String
}
