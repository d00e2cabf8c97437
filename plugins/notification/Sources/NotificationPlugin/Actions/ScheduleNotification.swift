import FlowModel
import FlowPluginKit

/// Schedules a local notification, delivered once (N32), also when the process is gone by then.
struct ScheduleNotification: Action {
  static let name = "notification.schedule"
  static let summary = "Schedules a local notification, delivered once"
  static let errors = [
    ErrorDeclaration("schedule-failed", "The system did not take the notification", isRetryable: true)
  ]
  static let example = """
    uses: notification.schedule
    needs: listen
    with: { title: News, body: Tap to see, route: "app://vip/999", parameters: { from: notification }, after: 5s }
    """

  struct Input: ActionInput {
    @Field("The title") var title: String
    @Field("The text") var body: String = ""
    @Field("The sound") var sound: String = "default"
    @Field("The link that a tap opens") var route: String?
    @Field("The parameters of the page besides the link") var parameters: ValueObject = [:]
    @Field("The delay before it is delivered") var after: Duration = .seconds(5)
    @Field("Its identifier; without it, a new UUID") var id: String?
  }

  struct Output: ActionOutput {
    var id: String

    static let summaries = ["id": "Its identifier"]
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let id = input.id ?? Self.uuid()
    var payload: ValueObject = [
      "aps": ["alert": ["title": .string(input.title), "body": .string(input.body)], "sound": .string(input.sound)]
    ]
    if let route = input.route { payload["route"] = .string(route) }
    if !input.parameters.isEmpty { payload["parameters"] = .object(input.parameters) }
    let host = context.host
    do {
      let center = try context.notificationCenter()
      if !center.keepsSchedule { try keep(id, payload, input.after, context) }
      try center.add(NotificationRequest(id: id, payload: payload, delay: input.after)) { host.wake(after: $0, $1) }
    } catch {
      ScheduledNotifications(dataFolder: context.run.dataFolder).remove(id)
      context.log("the notification was not scheduled: \(error)", level: .error)
      throw error
    }
    context.log("scheduled notification \(id) in \(DurationText.format(input.after))")
    return Output(id: id)
  }

  /// On disk first: anyone who kills the process afterwards loses nothing.
  private func keep(_ id: String, _ payload: ValueObject, _ delay: Duration, _ context: ActionContext) throws {
    guard id.utf8.count <= ScheduledNotifications.identifierByteLimit else {
      throw ActionError(
        "schedule-failed",
        "the identifier has \(id.utf8.count) bytes, more than \(ScheduledNotifications.identifierByteLimit)",
        isRetryable: false)
    }
    let (seconds, attoseconds) = delay.components
    let due = try context.notificationTime() + Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    try ScheduledNotifications(dataFolder: context.run.dataFolder).add(
      .init(id: id, payload: payload, dueAtMilliseconds: due))
  }

  /// A random UUID (RFC 9562, version 4).
  static func uuid() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = DeviceToken.hexadecimal(bytes)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits.dropFirst($0.lowerBound).prefix($0.count) }
      .joined(separator: "-")
  }
}
