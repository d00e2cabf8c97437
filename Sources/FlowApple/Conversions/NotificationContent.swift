import FlowModel
import NotificationPlugin

/// The parts of a scheduled notification in the form that UserNotifications requires.
struct NotificationContent: Hashable {
  var title: String
  var body: String
  /// True if the system plays a sound with the notification.
  var hasSound: Bool
  var badge: Int?
  var category: String
  /// The time until the delivery in seconds. The system requires more than zero.
  var seconds: Double
  /// True if the notification is delivered repeatedly at this interval.
  var repeats: Bool

  init(_ request: NotificationRequest) {
    let aps = request.payload["aps"]?.objectValue
    let alert = aps?["alert"]
    title = alert?.objectValue?["title"]?.stringValue ?? ""
    body = alert?.objectValue?["body"]?.stringValue ?? alert?.stringValue ?? ""
    hasSound = aps?["sound"].map { !$0.isNull && $0.stringValue != "" } ?? false
    badge = aps?["badge"]?.integerValue
    category = aps?["category"]?.stringValue ?? ""
    repeats = request.interval != nil
    seconds = max((request.interval ?? request.delay) / .seconds(1), 0.001)
  }
}
