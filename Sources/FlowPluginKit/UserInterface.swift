import FlowModel

/// What the steps that show something need of a user interface; an app implements it over UIKit, `ui` brings a headless
/// one.
///
/// Calls come on any thread; an implementation that must be on the main thread hops by itself.
public protocol UserInterface: Sendable {
  /// Whether a window exists and its root view has appeared.
  var isReady: Bool { get }

  /// Shows a page; throws an ``ActionError`` `page-unavailable` when it cannot be built (N30).
  func open(_ page: PageRequest) throws

  /// Shows a banner for a notification that came while the app is in front (N10).
  func showBanner(title: String, body: String) throws
}

/// A page to show.
public struct PageRequest: Sendable, Hashable {
  /// How a page comes on.
  public enum Presentation: String, FieldWord {
    case push, present
  }

  /// The name of the page, such as `product`.
  public var page: String
  /// How it comes on.
  public var presentation: Presentation
  /// What it is given.
  public var parameters: ValueObject

  /// A request for a page.
  public init(page: String, presentation: Presentation = .push, parameters: ValueObject = [:]) {
    self.page = page
    self.presentation = presentation
    self.parameters = parameters
  }
}
