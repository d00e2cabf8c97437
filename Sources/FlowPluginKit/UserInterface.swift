import FlowModel

/// The user interface that steps use to show something. An app implements it with UIKit; `ui` has an implementation
/// without a window.
///
/// Calls may be made on any thread. An implementation that needs the main thread must switch to it.
public protocol UserInterface: Sendable {
  /// True if there is a window and its root view has appeared.
  var isReady: Bool { get async }

  /// Shows a page. Throws an ``ActionError`` with the code `page-unavailable` if the page cannot be created (N30).
  func open(_ page: PageRequest) async throws

  /// Shows a banner for a notification that arrives while the app is in the foreground (N10).
  func showBanner(title: String, body: String) async throws
}

/// A page to show.
public struct PageRequest: Sendable, Hashable {
  /// The ways of showing a page.
  public enum Presentation: String, FieldWord {
    case push, present
  }

  /// The name of the page, such as `product`.
  public var page: String
  /// The style in which the page is presented.
  public var presentation: Presentation
  /// The parameters of the page.
  public var parameters: ValueObject
  /// True if the page may be saved, so that the next launch restores it.
  package var isRestorable: Bool
  /// The names of parameters that must not be saved.
  package var secretParameters: Set<String>

  /// Creates a request.
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

  /// The request as it may be saved, without secret parameters, or nil if it must not be saved.
  package var saved: PageRequest? {
    guard isRestorable else { return nil }
    guard !secretParameters.isEmpty else { return self }
    var parameters = ValueObject()
    for (name, value) in self.parameters where !secretParameters.contains(name) { parameters[name] = value }
    return PageRequest(page: page, presentation: presentation, parameters: parameters)
  }
}
