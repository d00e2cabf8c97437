import FlowModel

/// A named set of actions that is compiled into the program.
///
/// ```swift
/// public struct GreetingPlugin: Plugin {
///   public static let name = "greeting"
///   public init() {}
///   public var actions: [any ActionType.Type] { [Greet.self] }
/// }
/// ```
///
/// Making a plugin performs no I/O (P9). Actions open the resources they need when they run.
public protocol Plugin: Sendable {
  /// The name of the plugin, which is the part before the dot in the names of its actions.
  static var name: String { get }

  /// The actions of the plugin.
  var actions: [any ActionType.Type] { get }

  /// Further actions that use a value given to the plugin, such as an object of the app.
  var boundActions: [RegisteredAction] { get }

  /// The handles that every run with this plugin has from its start, such as an app's user interface.
  var handles: [PluginHandle] { get }

  /// The checks of workflows that use it, in addition to the declarations of its actions.
  var checks: [any WorkflowCheckProvider] { get }

  /// The kinds of YAML files that it reads.
  var fileKinds: [PluginFileKind] { get }

  /// The present names of renamed actions, such as `storage.trips`, and of renamed inputs and outputs, such as
  /// `storage.open.sample`. A workflow that uses an old name gets an error with the new one.
  var movedNames: KeyValuePairs<String, String> { get }
}

extension Plugin {
  /// No actions.
  public var boundActions: [RegisteredAction] { [] }

  /// No handles.
  public var handles: [PluginHandle] { [] }

  /// No checks.
  public var checks: [any WorkflowCheckProvider] { [] }

  /// No files.
  public var fileKinds: [PluginFileKind] { [] }

  /// No names.
  public var movedNames: KeyValuePairs<String, String> { [:] }
}

/// A handle that a plugin provides to every run.
public struct PluginHandle: Sendable {
  /// The key by which actions find it.
  public let key: HandleKey
  /// The handle.
  public let handle: any Sendable

  /// Provides `handle` with `key`.
  public init(_ key: HandleKey, _ handle: any Sendable) {
    self.key = key
    self.handle = handle
  }
}
