import FlowModel
import FlowPluginKit
import RouterCore
import Synchronization

/// Applies a rule of the app before a page opens, such as requiring that the user is signed in.
public protocol RouteInterceptor: Sendable {
  /// The name that is reported with `blocked` results.
  var name: String { get }

  /// Decides about a link. If there is no decision within 2 s, the link is blocked.
  func decide(_ link: InterceptedLink) async -> RouteDecision
}

/// A link that matches a route and whose page is about to open.
public struct InterceptedLink: Sendable {
  /// The URL.
  public let url: String
  /// The matching route.
  public let route: Route
  /// The parameters that the page would receive.
  public let parameters: RouteParameters
  /// The source of the link.
  public let source: RouteSource
}

/// The decision about an intercepted link.
public enum RouteDecision: Sendable, Hashable {
  /// Continues with the next interceptor. A link from outside still does not open a sensitive route.
  case proceed
  /// Like `proceed`, but also opens a sensitive route.
  case approve
  /// Does not open the link.
  case block
  /// Opens this URL instead, like a link from inside the application. A link can be redirected at most five times.
  case redirect(to: String)
}

/// Calls the interceptors with a deadline, even if one of them never returns.
enum Interception {
  /// The time limit of one interceptor.
  static let deadline = Duration.seconds(2)
  /// The maximum number of redirects of a link.
  static let depth = 5

  /// Returns the decision, or `block` if there is none before the deadline. A late decision is ignored.
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

  /// Resumes with the first answer and ignores later ones.
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
