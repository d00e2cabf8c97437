import FlowModel
import FlowPluginKit
import RouterCore
import Synchronization

/// Applies an app's own rule, such as "signed in", before a page opens.
public protocol RouteInterceptor: Sendable {
  /// The name that appears in `blocked` results.
  var name: String { get }

  /// Decides what happens to the link; a link without a decision within 2 s is blocked.
  func decide(_ link: InterceptedLink) async -> RouteDecision
}

/// A link that matches a route and is about to open its page.
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
  /// Continues with the next interceptor; a sensitive route stays closed to links from outside.
  case proceed
  /// Like `proceed`, but also opens a sensitive route.
  case approve
  /// Does not open the link.
  case block
  /// Opens this URL instead, as if it came from inside the application; at most five times in a row.
  case redirect(to: String)
}

/// Asks the interceptors, each with a deadline, even if one never answers.
enum Interception {
  /// The time limit of one interceptor.
  static let deadline = Duration.seconds(2)
  /// The number of redirects that a link may follow.
  static let depth = 5

  /// The decision, or `block` at the deadline; a late decision is cancelled and ignored.
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

  /// Passes on the first answer only.
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
