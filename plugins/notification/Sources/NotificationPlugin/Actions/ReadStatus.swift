import FlowModel
import FlowPluginKit

/// Returns whether notifications are allowed, without ever asking the person (L3).
struct ReadStatus: AsyncAction {
  static let name = "notification.status"
  static let summary = "Returns whether the person allows notifications; never asks"
  static let example = """
    uses: notification.status
    needs: open-store
    """

  struct Output: ActionOutput {
    var status: String
    var granted: Bool

    static let summaries = [
      "status": "granted, denied, or not-determined if the person has not been asked",
      "granted": "Whether it was granted",
    ]
  }

  nonisolated(nonsending) func run(_ input: NoInput, in context: ActionContext) async throws -> Output {
    let isGranted = try await NotificationPermission.known(in: context)
    let status = isGranted.map { $0 ? "granted" : "denied" } ?? "not-determined"
    context.log("notifications: \(status)")
    return Output(status: status, granted: isGranted ?? false)
  }
}

/// The person's answer. The system records it or, if the system keeps no record, the store of the workflow.
enum NotificationPermission {
  private static let scope = "notification"
  private static let key = "permission"

  /// Returns the recorded answer without asking, or nil if there is none.
  nonisolated(nonsending) static func known(in context: ActionContext) async throws -> Bool? {
    if let known = try await context.notificationCenter().isAuthorized() { return known }
    let store: (any KeyValueStore)? = try? context.handle(.keyValueStore)
    return try store?.get(key, in: scope)?.booleanValue
  }

  /// Stores the answer for later launches if an earlier step has opened a store.
  static func keep(_ isGranted: Bool, in context: ActionContext) throws {
    let store: (any KeyValueStore)? = try? context.handle(.keyValueStore)
    try store?.put(.boolean(isGranted), for: key, in: scope)
  }
}
