import FlowModel
import FlowPluginKit
import RouterCore
import Synchronization

/// Has its say before a page opens: an app's own rule, such as "signed in".
public protocol RouteInterceptor: Sendable {
  /// The word that `blocked` results carry.
  var name: String { get }

  /// What is to become of the link; no answer within 2 s blocks it.
  func decide(_ link: InterceptedLink) async -> RouteDecision
}

/// A link that a route matches, on its way to the page.
public struct InterceptedLink: Sendable {
  /// The URL.
  public let url: String
  /// The route that matches.
  public let route: Route
  /// What the page would be given.
  public let parameters: RouteParameters
  /// Where it came from.
  public let source: RouteSource
}

/// What happens to an intercepted link.
public enum RouteDecision: Sendable, Hashable {
  /// The next one is asked; a sensitive route stays closed to links from outside.
  case proceed
  /// As `proceed`, and a sensitive route opens.
  case approve
  /// It is not opened.
  case block
  /// This URL is opened instead, as from inside the application; at most five times in a row.
  case redirect(to: String)
}

/// Asks interceptors, each with a deadline, one that never answers included.
enum Interception {
  /// How long one interceptor has.
  static let deadline = Duration.seconds(2)
  /// How often a link may lead to another.
  static let depth = 5

  /// The answer, or `block` at the deadline; the question is cancelled then and its answer dropped.
  static func ask(
    _ interceptor: any RouteInterceptor, _ link: InterceptedLink, _ context: ActionContext
  ) async -> RouteDecision {
    await withCheckedContinuation { continuation in
      let answer = Answer(continuation)
      let question = Task { answer.give(await interceptor.decide(link)) }
      context.host.wake(after: deadline) {
        question.cancel()
        answer.give(.block)
      }
    }
  }

  /// Passes on the first answer.
  private final class Answer: Sendable {
    private let pending: Mutex<CheckedContinuation<RouteDecision, Never>?>

    init(_ continuation: CheckedContinuation<RouteDecision, Never>) { pending = Mutex(continuation) }

    func give(_ decision: RouteDecision) {
      let continuation = pending.withLock { pending in
        defer { pending = nil }
        return pending
      }
      continuation?.resume(returning: decision)
    }
  }
}
