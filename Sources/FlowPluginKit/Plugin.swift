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
  /// The name of the plugin, which precedes the dot in the names of its actions.
  static var name: String { get }

  /// The types of the plugin's actions.
  var actions: [any ActionType.Type] { get }

  /// Actions that use a value passed to the plugin, such as an object of the app.
  var boundActions: [RegisteredAction] { get }

  /// The handles that the plugin provides to every run, such as an app's user interface.
  var handles: [PluginHandle] { get }

  /// The checks and names of plugins that are a part of flowrun. Other plugins must not implement this property.
  var details: PluginDetails { get }
}

extension Plugin {
  /// No actions by default.
  public var boundActions: [RegisteredAction] { [] }

  /// No handles by default.
  public var handles: [PluginHandle] { [] }

  /// No details.
  public var details: PluginDetails { PluginDetails() }
}

/// Additional declarations, which only plugins in this package may have.
public struct PluginDetails: Sendable {
  /// Checks of workflows that use the plugin, beyond the declarations of its actions.
  package var checks: [any WorkflowCheckProvider]
  /// The kinds of YAML files that the plugin reads.
  package var fileKinds: [PluginFileKind]
  /// The current names of renamed actions, such as `storage.trips`, and of renamed inputs and outputs, such as
  /// `storage.open.sample`. If a workflow uses an old name, the error names the new one.
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
  /// The key that steps use to find the handle.
  package let key: HandleKey
  /// The live object that steps receive.
  package let handle: any Sendable

  /// Provides `handle` to steps under `key`.
  public init(_ key: HandleKey, _ handle: any Sendable) {
    self.key = key
    self.handle = handle
  }
}
