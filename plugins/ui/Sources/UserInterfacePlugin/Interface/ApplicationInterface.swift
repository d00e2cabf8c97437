import FlowModel
import FlowPluginKit

/// A user interface with a life: the plugin's side of an interface that an app implements over UIKit. The one that comes
/// with flowrun is headless.
///
/// Calls come on the main thread, in the order of the launch. An ``ActionError`` fails the step that called. A step whose
/// time is up does not wait for the main thread any longer, and a call that has not begun by then is not made.
@MainActor public protocol ApplicationInterface: UserInterface {
  /// Creates the application, from a storyboard where there is one.
  func launch(storyboard: String?) async throws
  /// Brings back what an earlier launch showed; before a window exists.
  func restore(_ state: InterfaceState) async throws
  /// Shows the launch screen; nil: a plain one.
  func showSplash(_ asset: String?) async throws
  /// Makes the window with its content view, not yet visible; returns the tab in front.
  func makeWindow(_ content: WindowContent) async throws -> String
  /// Makes the window visible in the splash's place; throws `no-window` when there is none.
  func present() async throws
  /// Brings a tab to the front; throws `unknown-tab` when there is none of this name.
  func select(tab: String) async throws
  /// What the next launch would restore.
  var state: InterfaceState { get async }
  /// Calls `handler` after every change of ``state``.
  func onStateChange(_ handler: @escaping @Sendable (InterfaceState) -> Void) async
}

/// The content view of an application: tabs, and what they are given.
public struct WindowContent: Sendable, Hashable {
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
