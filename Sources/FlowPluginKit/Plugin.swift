import FlowModel

/// A set of actions that is compiled into the program.
///
/// ```swift
/// public struct GreetingPlugin: Plugin {
///   public static let name = "greeting"
///   public init() {}
///   public var actions: [any ActionType.Type] { [Greet.self] }
/// }
/// ```
///
/// Creating a plugin must not read or write anything (P9). Its actions open files and other resources when they run.
public protocol Plugin: Sendable {
  /// The name of the plugin. It is the part before the dot in the names of the actions.
  static var name: String { get }

  /// The actions of the plugin.
  var actions: [any ActionType.Type] { get }

  /// Actions that use a value passed to the plugin, such as an object of the app.
  var boundActions: [RegisteredAction] { get }

  /// The handles that the plugin provides to every run, such as an app's user interface.
  var handles: [PluginHandle] { get }

  /// The checks and names of plugins that are part of flowrun. Do not implement it.
  var details: PluginDetails { get }
}

extension Plugin {
  /// By default, there are none.
  public var boundActions: [RegisteredAction] { [] }

  /// By default, there are none.
  public var handles: [PluginHandle] { [] }

  /// No details.
  public var details: PluginDetails { PluginDetails() }
}

/// The declarations of a plugin that only plugins in this package make.
public struct PluginDetails: Sendable {
  /// Checks of workflows that use the plugin, in addition to the declarations of its actions.
  package var checks: [any WorkflowCheckProvider]
  /// The kinds of YAML files that the plugin reads.
  package var fileKinds: [PluginFileKind]
  /// The current names of renamed actions, such as `storage.trips`, and of renamed inputs and outputs, such as
  /// `storage.open.sample`. A workflow that uses an old name is refused with the new one.
  package var movedNames: KeyValuePairs<String, String>

  package init(
    checks: [any WorkflowCheckProvider] = [], fileKinds: [PluginFileKind] = [],
    movedNames: KeyValuePairs<String, String> = [:]
  ) {
    (self.checks, self.fileKinds, self.movedNames) = (checks, fileKinds, movedNames)
  }
}

/// A handle that a plugin provides to every run.
public struct PluginHandle: Sendable {
  /// The key of the handle.
  package let key: HandleKey
  /// The handle.
  package let handle: any Sendable

  /// Provides `handle` under `key`.
  public init(_ key: HandleKey, _ handle: any Sendable) {
    self.key = key
    self.handle = handle
  }
}
