import FlowModel
import FlowPluginKit

/// A user interface with a life cycle, which an app implements with UIKit. The one included in flowrun is headless.
///
/// Methods are called on the main thread, in the order of the launch. An ``ActionError`` fails the calling step. A step
/// that has timed out stops waiting for the main thread, and a call that has not begun by then is not made.
@MainActor public protocol ApplicationInterface: UserInterface {
  /// Creates the application, from a storyboard if there is one.
  func launch(storyboard: String?) async throws
  /// Restores the interface of an earlier launch, before a window exists.
  func restore(_ state: InterfaceState) async throws
  /// Shows the launch screen, or a plain one if `asset` is nil.
  func showSplash(_ asset: String?) async throws
  /// Creates the window with its content view, not yet visible; returns the selected tab.
  func makeWindow(_ content: WindowContent) async throws -> String
  /// Makes the window visible in place of the splash; throws `no-window` if there is none.
  func present() async throws
  /// Selects a tab; throws `unknown-tab` if there is none with this name.
  func select(tab: String) async throws
  /// The state that the next launch would restore.
  var state: InterfaceState { get async }
  /// Calls `handler` after every change of ``state``.
  func onStateChange(_ handler: @escaping @Sendable (InterfaceState) -> Void) async
}

/// The content view of an application: its tabs and their environment.
public struct WindowContent: Sendable, Hashable {
  /// The names of the tabs in order; at least one.
  public var tabs: [String]
  /// The selected tab, unless another one is restored.
  public var selected: String
  /// The values that every view can read: the results of the managers.
  public var environment: ValueObject

  /// The pages that can be opened over the tabs, or nil for any.
  public var pages: [String]?

  /// Creates a content view with these tabs.
  public init(tabs: [String], selected: String, environment: ValueObject = [:], pages: [String]? = nil) {
    self.tabs = tabs
    self.selected = selected
    self.environment = environment
    self.pages = pages
  }
}
