import FlowModel

/// What the steps that show something need of a user interface; an app implements it over UIKit, `ui` brings a headless
/// one.
///
/// Calls come on any thread; an implementation that must be on the main thread hops by itself.
public protocol UserInterface: Sendable {
  /// Whether a window exists and its root view has appeared.
  var isReady: Bool { get async }

  /// Shows a page; throws an ``ActionError`` `page-unavailable` when it cannot be built (N30).
  func open(_ page: PageRequest) async throws

  /// Shows a banner for a notification that came while the app is in front (N10).
  func showBanner(title: String, body: String) async throws
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
  /// Whether the page may be saved, so that the next launch restores it.
  public var isRestorable: Bool
  /// The names of parameters that must not be saved with it.
  public var secretParameters: Set<String>

  /// A request for a page.
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

  /// The page as it may be written to disk; nil if it must not be.
  public var saved: PageRequest? {
    guard isRestorable else { return nil }
    guard !secretParameters.isEmpty else { return self }
    var parameters = ValueObject()
    for (name, value) in self.parameters where !secretParameters.contains(name) { parameters[name] = value }
    return PageRequest(page: page, presentation: presentation, parameters: parameters)
  }
}
