import FlowModel
import FlowPluginKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Schedules a local notification. It is delivered once (N32) or repeatedly, even if the process has ended by then.
struct ScheduleNotification: Action, DetailedAction {
  static let name = "notification.schedule"
  static let summary = "Schedules a local notification, delivered once or at an interval"
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
    @Field("The instant at which it is delivered instead, in ISO 8601, such as 2026-12-24T18:00:00Z") var at: String?
    @Field("Whether it is delivered again each time that the delay has passed, which is at least 60s")
    var repeats: Bool = false
    @Field("Its identifier; without it, a new UUID") var id: String?
  }

  struct Output: ActionOutput {
    var id: String

    static let summaries = ["id": "Its identifier"]
  }

  /// The shortest interval that the system accepts.
  private static let leastInterval = Duration.seconds(60)

  static func check(_ input: LiteralInput) -> [InputProblem] {
    var problems: [InputProblem] = []
    if let at = input["at"]?.stringValue, instant(at) == nil {
      problems.append(InputProblem("at", "'\(at)' is not an instant", help: "write 2026-12-24T18:00:00Z"))
    }
    if input["at"] != nil, input["after"] != nil {
      problems.append(InputProblem("after", "a notification has an instant or a delay", help: "write 'at' or 'after'"))
    }
    if let problem = input["id"]?.stringValue.flatMap(problem(withIdentifier:)) {
      problems.append(InputProblem("id", problem))
    }
    guard input["repeats"] == true else { return problems }
    if input["at"] != nil {
      problems.append(
        InputProblem("repeats", "a notification that repeats needs an interval", help: "write 'after' instead of 'at'"))
    } else if let after = input["after"].flatMap(Duration.init), after < leastInterval {
      problems.append(InputProblem("after", "the interval of a notification that repeats is at least 60s"))
    }
    return problems
  }

  /// Returns the problem with an identifier, or nil if it can be part of a file name and an argument of commands.
  private static func problem(withIdentifier id: String) -> String? {
    if id.isEmpty { return "the identifier is empty; leave 'id' out for a new one" }
    if id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      return "the identifier has a line break or another control character"
    }
    let limit = ScheduledNotifications.identifierByteLimit
    return id.utf8.count <= limit ? nil : "the identifier has \(id.utf8.count) bytes, more than \(limit)"
  }

  /// Parses an instant as milliseconds since 1970. Returns nil if the text is not a valid instant.
  private static func instant(_ text: String) -> Int? {
    guard let date = try? Date(text, strategy: .iso8601), exists(text) else { return nil }
    return Int((date.timeIntervalSince1970 * 1_000).rounded())
  }

  /// True if the date and the time of an instant exist. Foundation would read February 30 as March 2.
  private static func exists(_ text: String) -> Bool {
    let parts = text.prefix(19).split { !$0.isNumber }.compactMap { Int($0) }
    guard parts.count == 6, (1...12).contains(parts[1]) else { return false }
    let isLeapYear = parts[0] % 4 == 0 && (parts[0] % 100 != 0 || parts[0] % 400 == 0)
    let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][parts[1] - 1]
    // The seconds are 60 during a leap second.
    return (1...days).contains(parts[2]) && parts[3] < 24 && parts[4] < 60 && parts[5] <= 60
  }

  /// Returns the time until the first delivery: `after`, or the time until `at`, which is zero for an instant in the
  /// past. Throws if `at` is invalid, or if a repeating notification has `at` or an interval that is too short.
  private func delay(_ input: Input, _ context: ActionContext) throws -> Duration {
    guard !input.repeats || (input.at == nil && input.after >= Self.leastInterval) else {
      throw ActionError(
        "schedule-failed", "a notification that repeats needs 'after' with at least 60s", isRetryable: false)
    }
    guard let at = input.at else { return input.after }
    guard let instant = Self.instant(at) else {
      throw ActionError(
        "schedule-failed", "'\(at)' is not an instant such as 2026-12-24T18:00:00Z", isRetryable: false)
    }
    return .milliseconds(max(0, instant - (try context.notificationTime())))
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let id = input.id ?? Self.uuid()
    if let problem = Self.problem(withIdentifier: id) {
      throw ActionError("schedule-failed", problem, isRetryable: false)
    }
    let delay = try delay(input, context)
    let interval = input.repeats ? delay : nil
    var payload: ValueObject = [
      "aps": ["alert": ["title": .string(input.title), "body": .string(input.body)], "sound": .string(input.sound)]
    ]
    if let route = input.route { payload["route"] = .string(route) }
    if !input.parameters.isEmpty { payload["parameters"] = .object(input.parameters) }
    let host = context.host
    do {
      let center = try context.notificationCenter()
      let expected = try context.expectedNotifications()
      if !center.keepsSchedule { try keep(id, payload, delay, interval, context) }
      try center.add(NotificationRequest(id: id, payload: payload, delay: delay, interval: interval)) {
        expected.wake(id, after: $0, host, $1)
      }
    } catch {
      ScheduledNotifications(dataFolder: context.run.dataFolder).remove(id)
      context.log("the notification was not scheduled: \(error)", level: .error)
      throw error
    }
    let rhythm = interval.map { " and then every \(DurationText.format($0))" } ?? ""
    context.log("scheduled notification \(id) in \(DurationText.format(delay))\(rhythm)")
    return Output(id: id)
  }

  /// Writes the notification to disk before it is scheduled, so that it is not lost if the process is killed.
  private func keep(
    _ id: String, _ payload: ValueObject, _ delay: Duration, _ interval: Duration?, _ context: ActionContext
  ) throws {
    let due = try context.notificationTime() + Self.milliseconds(delay)
    try ScheduledNotifications(dataFolder: context.run.dataFolder).add(
      .init(
        id: id, payload: payload, dueAtMilliseconds: due,
        intervalMilliseconds: interval.map { Self.milliseconds($0) }))
  }

  private static func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
  }

  /// Returns a random UUID (RFC 9562, version 4).
  static func uuid() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = DeviceToken.hexadecimal(bytes)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits.dropFirst($0.lowerBound).prefix($0.count) }
      .joined(separator: "-")
  }
}
