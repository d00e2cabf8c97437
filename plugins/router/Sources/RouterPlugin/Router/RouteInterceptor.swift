import FlowModel
import FlowPluginKit
import RouterCore
import Synchronization

/// A rule of the app that is applied before a page opens, for example that the user must be signed in.
public protocol RouteInterceptor: Sendable {
  /// The name that `blocked` results report as their reason.
  var name: String { get }

  /// Decides whether a link may open its page. The link is blocked if there is no decision within 2 s.
  func decide(_ link: InterceptedLink) async -> RouteDecision
}

/// A link that matches a route and whose page is about to open.
public struct InterceptedLink: Sendable {
  /// The URL as it was received.
  public let url: String
  /// The route that matches the link.
  public let route: Route
  /// The parameters that the page would receive.
  public let parameters: RouteParameters
  /// The kind of sender of the link.
  public let source: RouteSource
}

/// An interceptor's decision about a link.
public enum RouteDecision: Sendable, Hashable {
  /// Continues with the next interceptor. External links open a sensitive route only if another interceptor approves.
  case proceed
  /// Like `proceed`, but external links may open a sensitive route.
  case approve
  /// Does not open the link. The result is `blocked`.
  case block
  /// Opens this URL instead, as if the app itself had requested it. A link can be redirected at most five times.
  case redirect(to: String)
}

/// Calls interceptors with a time limit, even if one of them never returns.
enum Interception {
  /// The time within which an interceptor must decide.
  static let deadline = Duration.seconds(2)
  /// The maximum number of redirects of a link.
  static let depth = 5

  /// Returns the decision, or `block` if there is none before the deadline. A decision that arrives later is ignored.
  static func ask(
    _ interceptor: any RouteInterceptor, _ link: InterceptedLink, _ context: ActionContext
  ) async -> RouteDecision {
    await withCheckedContinuation { continuation in
      let answer = Answer(continuation)
      let question = Task { answer.resume(with: await interceptor.decide(link)) }
      context.host.wake(after: deadline) {
        question.cancel()
        answer.resume(with: .block)
      }
    }
  }

  /// Resumes the continuation with the first decision and ignores later ones.
  private final class Answer: Sendable {
    private let pending: Mutex<CheckedContinuation<RouteDecision, Never>?>

    init(_ continuation: CheckedContinuation<RouteDecision, Never>) { pending = Mutex(continuation) }

    func resume(with decision: RouteDecision) {
      let continuation = pending.withLock { pending in
        defer { pending = nil }
        return pending
      }
      continuation?.resume(returning: decision)
    }
  }
}
