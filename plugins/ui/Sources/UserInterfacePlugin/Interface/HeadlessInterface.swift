import FlowModel
import FlowPluginKit
import Synchronization

/// An interface without a screen. It records what a screen would show, and refuses what an application could not do.
///
/// Its methods can be called on any thread.
public nonisolated final class HeadlessInterface: ApplicationInterface, CallableAnywhere {
  private struct Contents {
    var isLaunched = false
    var isPresented = false
    var splash: String?
    var content: WindowContent?
    var state = InterfaceState()
    var banners: [String] = []
    var handler: @Sendable (InterfaceState) -> Void = { _ in }
  }

  private let contents = Mutex(Contents())

  /// Creates an interface of an application that has not been launched.
  public init() {}

  /// True if the window has been made visible.
  public var isReady: Bool { contents.withLock { $0.isPresented } }

  /// The current tab and pages, which the next launch would restore.
  public var state: InterfaceState { contents.withLock { $0.state } }

  /// The content view, or nil if there is no window.
  public var content: WindowContent? { contents.withLock { $0.content } }

  /// The titles of all banners, in the order in which they were shown.
  public var banners: [String] { contents.withLock { $0.banners } }

  /// Marks the application as launched. The storyboard is ignored.
  public func launch(storyboard: String?) { contents.withLock { $0.isLaunched = true } }

  /// Replaces the current state by that of an earlier launch.
  public func restore(_ state: InterfaceState) { change { $0.state = state } }

  /// Records the name of the splash instead of showing it.
  public func showSplash(_ asset: String?) { contents.withLock { $0.splash = asset ?? "" } }

  /// Records the content of the window. Returns the restored tab if it still exists, and otherwise the initial one.
  public func makeWindow(_ content: WindowContent) -> String {
    change { contents in
      contents.content = content
      let tab = contents.state.tab.flatMap { content.tabs.contains($0) ? $0 : nil } ?? content.selected
      contents.state.tab = tab
      return tab
    }
  }

  /// Makes the window visible in place of the splash. Throws `no-window` if there is no window.
  public func present() throws {
    try contents.withLock { contents in
      guard contents.content != nil else {
        throw ActionError(
          "no-window", "there is no window to show; a step with ui.window makes one", isRetryable: false)
      }
      contents.isPresented = true
      contents.splash = nil
    }
  }

  /// Selects a tab. Throws the error `unknown-tab` if it does not exist.
  public func select(tab: String) throws {
    try change { contents in
      let tabs = contents.content?.tabs ?? []
      guard tabs.contains(tab) else {
        throw ActionError(
          "unknown-tab",
          tabs.isEmpty
            ? "there are no tabs yet; a step with ui.window makes them"
            : "there is no tab '\(tab)'; the tabs are \(tabs.joined(separator: ", "))", isRetryable: false)
      }
      contents.state.tab = tab
    }
  }

  /// Opens a page over the others. Throws `page-unavailable` if no window is visible or the page is unknown.
  public func open(_ page: PageRequest) throws {
    try change { contents in
      guard contents.isPresented else {
        throw ActionError("page-unavailable", "the page '\(page.page)' cannot be shown: no window is visible yet")
      }
      if let pages = contents.content?.pages, !pages.contains(page.page) {
        throw ActionError(
          "page-unavailable",
          "the page '\(page.page)' cannot be built; the pages are \(pages.joined(separator: ", "))", isRetryable: false)
      }
      contents.state.open(page)
    }
  }

  /// Records the title of the banner.
  public func showBanner(title: String, body: String) { contents.withLock { $0.banners.append(title) } }

  /// Calls `handler` with the new ``state`` after every change to it.
  public func onStateChange(_ handler: @escaping @Sendable (InterfaceState) -> Void) {
    contents.withLock { $0.handler = handler }
  }

  /// Calls `body`, and then the handler if the state has changed.
  private func change<Result: Sendable, Failure: Error>(
    _ body: (inout Contents) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (result, handler, changed) = try contents.withLock { contents throws(Failure) in
      let before = contents.state
      let result = try body(&contents)
      return (result, contents.handler, contents.state == before ? nil : contents.state)
    }
    if let changed { handler(changed) }
    return result
  }
}
