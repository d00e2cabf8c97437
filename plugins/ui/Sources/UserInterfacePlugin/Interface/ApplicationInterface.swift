import FlowModel
import FlowPluginKit

/// A user interface with a life: the plugin's side of what an app implements over UIKit, and the headless one plays.
///
/// Calls come in the order of the launch, on any thread; an implementation that must be on the main thread hops by
/// itself. What throws an ``ActionError`` fails the step that called.
public protocol ApplicationInterface: UserInterface {
  /// Creates the application, from a storyboard where there is one.
  func launch(storyboard: String?) throws
  /// Brings back what an earlier launch showed; before a window exists.
  func restore(_ state: InterfaceState) throws
  /// Shows the launch screen; nil: a plain one.
  func showSplash(_ asset: String?) throws
  /// Makes the window with its content view, not yet visible; returns the tab in front.
  func makeWindow(_ content: ContentView) throws -> String
  /// Makes the window visible in the splash's place; throws `no-window` when there is none.
  func present() throws
  /// Brings a tab to the front; throws `unknown-tab` when there is none of this name.
  func select(tab: String) throws
  /// What the next launch would restore.
  var state: InterfaceState { get }
  /// Calls `handler` after every change of ``state``.
  func onStateChange(_ handler: @escaping @Sendable (InterfaceState) -> Void)
}

/// The content view of an application: tabs, and what they are given.
public struct ContentView: Sendable, Hashable {
  /// The names of the tabs in order; at least one.
  public var tabs: [String]
  /// The tab in front unless another is restored.
  public var selected: String
  /// What every view can read: the results of the managers.
  public var environment: ValueObject

  /// The pages that can be built over the tabs; nil: any.
  public var pages: [String]?

  /// A content view of these tabs.
  public init(tabs: [String], selected: String, environment: ValueObject = [:], pages: [String]? = nil) {
    self.tabs = tabs
    self.selected = selected
    self.environment = environment
    self.pages = pages
  }
}
