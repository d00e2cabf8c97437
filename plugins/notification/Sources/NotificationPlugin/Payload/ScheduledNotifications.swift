import FlowModel
import FlowPluginKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The local notifications that wait in a data folder: they outlive the run that scheduled them, and the process (N32).
///
/// Each is a file of its own in the folder `notifications`. Anyone who claims it shows it and then removes the file, so
/// that of two processes only one does, and none is lost when that one dies.
public struct ScheduledNotifications: Sendable {
  /// A notification and when it is due.
  public struct DueNotification: Sendable, Hashable {
    /// Its identifier.
    public let id: String
    /// The payload, as a remote notification would have it.
    public let payload: ValueObject
    /// When it is due, in milliseconds since 1970.
    public let dueAtMilliseconds: Int
    /// The milliseconds between two deliveries; nil: it is delivered once.
    public let intervalMilliseconds: Int?

    init(id: String, payload: ValueObject, dueAtMilliseconds: Int, intervalMilliseconds: Int? = nil) {
      self.intervalMilliseconds = intervalMilliseconds
      self.id = id
      self.payload = payload
      self.dueAtMilliseconds = dueAtMilliseconds
    }

    /// The same notification when it is due the next time after a time; nil: it is delivered once.
    func next(after now: Int) -> DueNotification? {
      guard let interval = intervalMilliseconds, interval > 0 else { return nil }
      let missed = max(0, now - dueAtMilliseconds) / interval
      return DueNotification(
        id: id, payload: payload, dueAtMilliseconds: dueAtMilliseconds + (missed + 1) * interval,
        intervalMilliseconds: interval)
    }

    /// The title of its alert.
    public var title: String { payload["aps"]?.objectValue?["alert"]?.objectValue?["title"]?.stringValue ?? "" }

    /// The launch options that a tap on it gives an application which is not running.
    public var launchOptions: ValueObject {
      [
        "notificationResponse": [
          "actionIdentifier": "com.apple.UNNotificationDefaultActionIdentifier",
          "notification": [
            "request": ["identifier": .string(id), "content": ["userInfo": .object(payload)]]
          ],
        ]
      ]
    }
  }

  /// The longest identifier, in bytes: it names a file.
  static let identifierByteLimit = 100

  private let folder: URL

  /// The notifications that wait in a data folder.
  public init(dataFolder: String) {
    folder = URL(fileURLWithPath: dataFolder, isDirectory: true).appendingPathComponent("notifications")
  }

  /// Keeps a notification until it is claimed; one with the same identifier is replaced.
  func add(_ entry: DueNotification) throws {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var value: ValueObject = [
        "id": .string(entry.id), "payload": .object(entry.payload), "due-at": .integer(entry.dueAtMilliseconds),
      ]
      if let interval = entry.intervalMilliseconds { value["interval"] = .integer(interval) }
      try Data(JSONText.bytes(of: .object(value))).write(to: file(of: entry.id), options: .atomic)
    } catch {
      throw ActionError("schedule-failed", "the notification cannot be kept in '\(folder.path)': \(error)")
    }
  }

  /// The right to show a notification; nil when another has it, when it was shown, or when it was never kept.
  func claim(_ id: String) -> NotificationClaim? { NotificationClaim(of: file(of: id).path) }

  /// Forgets a notification that could not be scheduled, or was cancelled; false: there is none.
  @discardableResult public func remove(_ id: String) -> Bool {
    (try? FileManager.default.removeItem(at: file(of: id))) != nil
  }

  /// A notification has been shown: it is forgotten, or kept until it is due again.
  func finish(_ claim: NotificationClaim, of id: String, atMilliseconds now: Int) {
    let next = entry(in: file(of: id))?.next(after: now)
    claim.finish()
    if let next { try? add(next) }
  }

  /// What waits, the earliest first, and the names of files that hold no notification.
  public func waiting() -> (entries: [DueNotification], unreadable: [String]) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    var entries: [DueNotification] = []
    var unreadable: [String] = []
    for name in names.sorted() where name.hasSuffix(Self.suffix) {
      if let entry = entry(in: folder.appendingPathComponent(name)) {
        entries.append(entry)
      } else {
        unreadable.append(name)
      }
    }
    return (entries.sorted { ($0.dueAtMilliseconds, $0.id) < ($1.dueAtMilliseconds, $1.id) }, unreadable)
  }

  private func entry(in file: URL) -> DueNotification? {
    let bytes = (try? Data(contentsOf: file)).map(Array.init) ?? []
    guard let object = (try? JSONText.parse(bytes))?.objectValue, let id = object["id"]?.stringValue,
      let payload = object["payload"]?.objectValue, let due = object["due-at"]?.integerValue
    else { return nil }
    return DueNotification(
      id: id, payload: payload, dueAtMilliseconds: due, intervalMilliseconds: object["interval"]?.integerValue)
  }

  /// Shows what is due at a time, in milliseconds since 1970, the earliest first: each is given to one caller, and forgotten
  /// when `show` has returned. Gives how many there were.
  public func deliverDue(atMilliseconds now: Int = Self.now(), _ show: (DueNotification) -> Void) -> Int {
    var count = 0
    for entry in waiting().entries where entry.dueAtMilliseconds <= now {
      guard let claim = claim(entry.id) else { continue }
      show(entry)
      finish(claim, of: entry.id, atMilliseconds: now)
      count += 1
    }
    return count
  }

  /// The milliseconds since 1970.
  public static func now() -> Int { Int(Date().timeIntervalSince1970 * 1_000) }

  private static let suffix = ".json"

  /// Identifiers hold any text, file names do not.
  private func file(of id: String) -> URL {
    folder.appendingPathComponent(DeviceToken.hexadecimal(Array(id.utf8)) + Self.suffix)
  }
}
