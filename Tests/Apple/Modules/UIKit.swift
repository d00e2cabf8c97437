// swift-format-ignore-file
// The part of UIKit that FlowApple uses.
@_exported import Foundation
import UserNotifications

@MainActor open class UIResponder: NSObject {}

@MainActor open class UIViewController: UIResponder {}

@MainActor open class UIWindow: UIResponder {
  public init(windowScene: UIWindowScene) {}
  open var rootViewController: UIViewController?
  open func makeKeyAndVisible() {}
}

@MainActor open class UIScene: UIResponder {
  @MainActor open class ConnectionOptions: NSObject {
    open var urlContexts: Set<UIOpenURLContext> { [] }
    open var sourceApplication: String? { nil }
    open var handoffUserActivityType: String? { nil }
    open var userActivities: Set<NSUserActivity> { [] }
    open var notificationResponse: UNNotificationResponse? { nil }
    open var shortcutItem: UIApplicationShortcutItem? { nil }
  }

  @MainActor open class OpenURLOptions: NSObject {
    open var sourceApplication: String? { nil }
  }
}

@MainActor open class UIWindowScene: UIScene {}

@MainActor open class UISceneSession: NSObject {}

// UIKit declares these methods as optional.
@MainActor public protocol UIWindowSceneDelegate: NSObjectProtocol {
  func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions)
  func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>)
  func scene(_ scene: UIScene, continue activity: NSUserActivity)
}

@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
}

extension UIApplicationDelegate {
  public static func main() {}
}

@MainActor open class UIOpenURLContext: NSObject {
  open var url: URL { fatalError() }
  open var options: UIScene.OpenURLOptions { fatalError() }
}

@MainActor open class UIApplicationShortcutItem: NSObject {
  open var type: String { "" }
  open var userInfo: [String: any NSSecureCoding]? { nil }
}

public protocol NSSecureCoding {}

public struct UIBackgroundTaskIdentifier: Hashable, Sendable {}

public enum UIBackgroundFetchResult: UInt, Sendable {
  case newData, noData, failed
}

@MainActor open class UIApplication: UIResponder {
  public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public enum State: Int, Sendable {
    case active, inactive, background
  }

  open class var shared: UIApplication { fatalError() }
  open var applicationState: State { .active }
  open func registerForRemoteNotifications() {}
  open func beginBackgroundTask(expirationHandler: (@MainActor @Sendable () -> Void)?) -> UIBackgroundTaskIdentifier { .init() }
  open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
  nonisolated public class var willEnterForegroundNotification: Notification.Name { .init(rawValue: "") }
  nonisolated public class var didEnterBackgroundNotification: Notification.Name { .init(rawValue: "") }
}
