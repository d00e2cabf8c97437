// swift-format-ignore-file
// The part of UserNotifications that DeviceNotificationCenter uses. Classes that Apple does not mark as Sendable are
// not Sendable here.
@_exported import Foundation

public struct UNAuthorizationOptions: OptionSet, Sendable {
  public var rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let badge = Self(rawValue: 1)
  public static let sound = Self(rawValue: 2)
  public static let alert = Self(rawValue: 4)
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
  public var rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let badge = Self(rawValue: 1)
  public static let sound = Self(rawValue: 2)
  public static let list = Self(rawValue: 8)
  public static let banner = Self(rawValue: 16)
}

public enum UNAuthorizationStatus: Int, Sendable {
  case notDetermined, denied, authorized, provisional, ephemeral
}

open class UNNotificationSettings: NSObject {
  open var authorizationStatus: UNAuthorizationStatus { fatalError() }
}

open class UNNotificationSound: NSObject {
  open class var `default`: UNNotificationSound { fatalError() }
}

open class UNNotificationContent: NSObject {
  open var userInfo: [AnyHashable: Any] { [:] }
}

open class UNMutableNotificationContent: UNNotificationContent {
  open var title = ""
  open var body = ""
  open var sound: UNNotificationSound?
  open var badge: NSNumber?
  open var categoryIdentifier = ""
  override open var userInfo: [AnyHashable: Any] {
    get { [:] }
    set {}
  }
}

open class UNNotificationTrigger: NSObject {}

open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
  public convenience init(timeInterval: TimeInterval, repeats: Bool) { self.init() }
}

open class UNNotificationRequest: NSObject {
  open var identifier: String { "" }
  open var content: UNNotificationContent { fatalError() }
  public convenience init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) { self.init() }
}

open class UNNotification: NSObject {
  open var request: UNNotificationRequest { fatalError() }
}

open class UNNotificationResponse: NSObject {
  open var notification: UNNotification { fatalError() }
  open var actionIdentifier: String { "" }
}

open class UNTextInputNotificationResponse: UNNotificationResponse {
  open var userText: String { "" }
}

public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void)
}

open class UNUserNotificationCenter: NSObject {
  open class func current() -> UNUserNotificationCenter { fatalError() }
  open weak var delegate: (any UNUserNotificationCenterDelegate)?
  open func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {}
  open func requestAuthorization(
    options: UNAuthorizationOptions = [], completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {}
  open func add(
    _ request: UNNotificationRequest, withCompletionHandler: (@Sendable ((any Error)?) -> Void)? = nil
  ) {}
  open func removePendingNotificationRequests(withIdentifiers: [String]) {}
  open func removeAllPendingNotificationRequests() {}
}
