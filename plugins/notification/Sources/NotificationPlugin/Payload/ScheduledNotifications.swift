import FlowModel
import FlowPluginKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The pending local notifications in a data folder. They outlive the run and the process that scheduled them (N32).
///
/// Each notification is a file in the folder `notifications`. A process claims the file, shows the notification and
/// then removes the file. Only one of two processes shows it, and it is not lost if that process dies.
public struct ScheduledNotifications: Sendable {
  /// A scheduled notification and the time when it is due.
  public struct DueNotification: Sendable, Hashable {
    /// The identifier of the notification, as in its request.
    public let id: String
    /// The payload, in the form of a remote notification.
    public let payload: ValueObject
    /// The due time in milliseconds since 1970.
    public let dueAtMilliseconds: Int
    /// The milliseconds between deliveries, or nil if the notification is delivered once.
    public let intervalMilliseconds: Int?

    init(id: String, payload: ValueObject, dueAtMilliseconds: Int, intervalMilliseconds: Int? = nil) {
      self.intervalMilliseconds = intervalMilliseconds
      self.id = id
      self.payload = payload
      self.dueAtMilliseconds = dueAtMilliseconds
    }

    /// Returns the notification with its next due time after `now`, or nil if it does not repeat.
    func next(after now: Int) -> DueNotification? {
      guard let interval = intervalMilliseconds, interval > 0 else { return nil }
      let missed = max(0, now - dueAtMilliseconds) / interval
      return DueNotification(
        id: id, payload: payload, dueAtMilliseconds: dueAtMilliseconds + (missed + 1) * interval,
        intervalMilliseconds: interval)
    }

    /// The title of the alert; empty if there is none.
    public var title: String { payload["aps"]?.objectValue?["alert"]?.objectValue?["title"]?.stringValue ?? "" }

    /// The launch options of an application that is launched by a tap on this notification.
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

  /// The maximum length of an identifier in bytes. It is limited because the identifier is part of a file name.
  static let identifierByteLimit = 100

  private let folder: URL

  /// Creates the collection of notifications in a data folder.
  public init(dataFolder: String) {
    folder = URL(fileURLWithPath: dataFolder, isDirectory: true).appendingPathComponent("notifications")
  }

  /// Stores a notification until it is claimed. Replaces a stored notification with the same identifier.
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

  /// Claims a notification. Returns nil if it is already claimed, or if it is not stored.
  func claim(_ id: String) -> NotificationClaim? { NotificationClaim(of: file(of: id).path) }

  /// Removes a notification that was cancelled or could not be scheduled. Returns true if its file was removed.
  @discardableResult public func remove(_ id: String) -> Bool {
    (try? FileManager.default.removeItem(at: file(of: id))) != nil
  }

  /// Removes a notification that was shown. A repeating one is stored again with its next due time.
  func finish(_ claim: NotificationClaim, of id: String, atMilliseconds now: Int) {
    let next = entry(in: file(of: id))?.next(after: now)
    claim.finish()
    if let next { try? add(next) }
  }

  /// Returns the pending notifications, the earliest first, and the names of unreadable files.
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
      let payload = object["payload"]?.objectValue, let due = object["due-at"]?.integerValue,
      Self.instants.contains(due), Self.instants.contains(object["interval"]?.integerValue ?? 0)
    else { return nil }
    return DueNotification(
      id: id, payload: payload, dueAtMilliseconds: due, intervalMilliseconds: object["interval"]?.integerValue)
  }

  /// Shows the notifications that are due at a time in milliseconds since 1970, the earliest first. Returns their
  /// number. Each is passed to only one caller. After `show` has returned, the notification is removed or, if it
  /// repeats, stored with its next due time.
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

  /// Returns the number of milliseconds since 1970.
  public static func now() -> Int { Int(Date().timeIntervalSince1970 * 1_000) }

  private static let suffix = ".json"

  /// The milliseconds that are accepted for a date or an interval. The sum of two of them fits in 64 bits.
  private static let instants = -(1 << 53)...(1 << 53)

  /// Returns the file of a notification. Its name is valid for any text used as identifier.
  private func file(of id: String) -> URL {
    folder.appendingPathComponent(DeviceToken.hexadecimal(Array(id.utf8)) + Self.suffix)
  }
}
