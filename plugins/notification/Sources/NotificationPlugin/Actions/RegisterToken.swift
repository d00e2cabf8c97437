import FlowModel
import FlowPluginKit

/// Registers for remote notifications and returns the device token, which a later step may send to a server (N14, N22).
struct RegisterToken: AsyncAction {
  static let name = "notification.register-token"
  static let summary = "Registers for remote notifications and gives the device token"
  static let errors = [
    ErrorDeclaration("registration-failed", "The system did not return a device token", isRetryable: true)
  ]
  static let example = """
    uses: notification.register-token
    needs: ask-permission
    if: steps.ask-permission.outputs.granted
    queue: main
    """

  struct Output: ActionOutput {
    var token: String

    static let summaries = ["token": "The device token, two lower-case hexadecimal digits per byte"]
  }

  nonisolated(nonsending) func run(_ input: NoInput, in context: ActionContext) async throws -> Output {
    do {
      let token = DeviceToken.hexadecimal(try await context.notificationCenter().registerForRemoteNotifications())
      // The token allows sending notifications to the device, so only its beginning is logged.
      context.log("device token \(token.prefix(8))…, \(token.count / 2) bytes")
      return Output(token: token)
    } catch {
      context.log("registering for remote notifications failed: \(error)", level: .error)
      throw ActionError("registration-failed", "registering for remote notifications failed: \(error)")
    }
  }
}
