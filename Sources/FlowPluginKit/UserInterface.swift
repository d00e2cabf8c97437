import FlowModel

/// A user interface in which steps show something. An app implements it, for example with UIKit; the `ui` plugin has an
/// implementation without a window.
///
/// Calls may be made on any thread. An implementation that needs the main thread must switch to it.
public protocol UserInterface: Sendable {
  /// True if a window exists and its root view has appeared.
  var isReady: Bool { get async }

  /// Shows a page. Throws an ``ActionError`` with the code `page-unavailable` if the page cannot be created (N30).
  func open(_ page: PageRequest) async throws

  /// Shows a banner for a notification that has arrived while the app is in the foreground (N10).
  func showBanner(title: String, body: String) async throws
}

/// A request to show a page of the app.
public struct PageRequest: Sendable, Hashable {
  /// The presentations of a page: pushed onto the navigation stack, or presented modally.
  public enum Presentation: String, FieldWord {
    case push, present
  }

  /// The name of the page, such as `product`.
  public var page: String
  /// The presentation of the page, pushed by default.
  public var presentation: Presentation
  /// The parameters that the page receives.
  public var parameters: ValueObject
  /// True if the request may be saved, so that the next launch shows the page again.
  package var isRestorable: Bool
  /// The names of the parameters that must not be saved.
  package var secretParameters: Set<String>

  /// Creates a request to show a page.
  public init(
    page: String, presentation: Presentation = .push, parameters: ValueObject = [:], isRestorable: Bool = true,
    secretParameters: Set<String> = []
  ) {
    self.page = page
    self.presentation = presentation
    self.parameters = parameters
    self.isRestorable = isRestorable
    self.secretParameters = secretParameters
  }

  /// The request that may be saved, without secret parameters. Nil if the request must not be saved.
  package var saved: PageRequest? {
    guard isRestorable else { return nil }
    guard !secretParameters.isEmpty else { return self }
    var parameters = ValueObject()
    for (name, value) in self.parameters where !secretParameters.contains(name) { parameters[name] = value }
    return PageRequest(page: page, presentation: presentation, parameters: parameters)
  }
}
