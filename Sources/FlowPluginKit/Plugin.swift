import FlowModel

/// A set of actions under one name, compiled into the program.
///
/// ```swift
/// public struct GreetingPlugin: Plugin {
///   public static let name = "greeting"
///   public init() {}
///   public var actions: [any ActionType.Type] { [Greet.self] }
/// }
/// ```
///
/// Making a plugin does no I/O (P9): what an action needs it opens when it runs.
public protocol Plugin: Sendable {
  /// The part before the dot in the names of its actions.
  static var name: String { get }

  /// The actions it brings.
  var actions: [any ActionType.Type] { get }

  /// Further actions, which call a value that the plugin was made with, such as the app's own object.
  var boundActions: [RegisteredAction] { get }

  /// Handles that every run with this plugin has from its start, such as the UI host an app passes in.
  var handles: [PluginHandle] { get }

  /// What it checks in workflows that use it, besides what its actions declare.
  var checks: [any WorkflowCheckProvider] { get }

  /// The kinds of YAML files that it reads.
  var fileKinds: [PluginFileKind] { get }

  /// Names that were renamed, with their present names: actions such as `storage.trips`, and inputs and outputs such as
  /// `storage.open.sample`. Where a workflow uses an old name, the error gives the new one.
  var movedNames: KeyValuePairs<String, String> { get }
}

extension Plugin {
  /// None.
  public var boundActions: [RegisteredAction] { [] }

  /// None.
  public var handles: [PluginHandle] { [] }

  /// None.
  public var checks: [any WorkflowCheckProvider] { [] }

  /// None.
  public var fileKinds: [PluginFileKind] { [] }

  /// None.
  public var movedNames: KeyValuePairs<String, String> { [:] }
}

/// A handle that a plugin brings into every run.
public struct PluginHandle: Sendable {
  /// The key under which actions ask for it.
  public let key: HandleKey
  /// The handle.
  public let handle: any Sendable

  /// Offers `handle` under `key`.
  public init(_ key: HandleKey, _ handle: any Sendable) {
    self.key = key
    self.handle = handle
  }
}
