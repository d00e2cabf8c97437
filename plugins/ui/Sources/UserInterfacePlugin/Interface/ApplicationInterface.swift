import FlowModel
import FlowPluginKit

/// A user interface with a life cycle. An app implements it with UIKit. flowrun includes a headless one.
///
/// Methods are called on the main thread, in the order of the launch. An ``ActionError`` fails the calling step. If a
/// step times out while it waits for the main thread, its call is not made.
@MainActor public protocol ApplicationInterface: UserInterface {
  /// Creates the application. Loads the storyboard if one is given.
  func launch(storyboard: String?) async throws
  /// Restores the interface of an earlier launch, before a window exists.
  func restore(_ state: InterfaceState) async throws
  /// Shows the launch screen, or a plain one if `asset` is nil.
  func showSplash(_ asset: String?) async throws
  /// Creates the window with its content view but does not show it. Returns the selected tab.
  func makeWindow(_ content: WindowContent) async throws -> String
  /// Makes the window visible in place of the splash. Throws the error `no-window` if there is no window.
  func present() async throws
  /// Selects a tab. Throws the error `unknown-tab` if there is no tab with this name.
  func select(tab: String) async throws
  /// The current state, which the next launch would restore.
  var state: InterfaceState { get async }
  /// Calls `handler` after every change to ``state``.
  func onStateChange(_ handler: @escaping @Sendable (InterfaceState) -> Void) async
}

/// The content view of an application: its tabs, and the values available to all views.
public struct WindowContent: Sendable, Hashable {
  /// The names of the tabs in order. There must be at least one.
  public var tabs: [String]
  /// The tab to select unless a restored tab is selected.
  public var selected: String
  /// The values that every view can read, normally the results of the managers.
  public var environment: ValueObject

  /// The pages that may be opened over the tabs, or nil if any page may.
  public var pages: [String]?

  /// Creates a content view. By default, it has no environment and allows any page.
  public init(tabs: [String], selected: String, environment: ValueObject = [:], pages: [String]? = nil) {
    self.tabs = tabs
    self.selected = selected
    self.environment = environment
    self.pages = pages
  }
}
