#if canImport(UIKit) && canImport(UserNotifications)
  public import FlowModel
  public import NotificationPlugin
  import Synchronization
  public import UIKit
  public import UserNotifications

  /// The notifications of the device, for ``NotificationPlugin``. It must be created in the app delegate, and
  /// ``install()`` must be called before the launch has finished, so that no tap is lost.
  ///
  /// ```swift
  /// let center = DeviceNotificationCenter()
  /// let engine = Engine { NotificationPlugin(center: center) }
  /// ```
  public final class DeviceNotificationCenter: NSObject, UserNotificationCenter, UNUserNotificationCenterDelegate {
    private let inbox = NotificationInbox()
    private let presentation: UNNotificationPresentationOptions
    private let tokenWaiters = Mutex<[CheckedContinuation<[UInt8], any Error>]>([])

    /// Creates a center. `presentation` determines how the system shows a notification while the app is in the
    /// foreground. If it is empty, only the app's own interface shows it.
    public init(presentation: UNNotificationPresentationOptions = [.banner, .list, .sound, .badge]) {
      self.presentation = presentation
    }

    /// Makes the center the system's delegate for notifications.
    public func install() { UNUserNotificationCenter.current().delegate = self }

    /// Returns the permission that the system has recorded, without asking the person. Nil if the person has not been
    /// asked.
    public func isAuthorized() async throws -> Bool? {
      let status = await withCheckedContinuation { continuation in
        UNUserNotificationCenter.current().getNotificationSettings { settings in
          continuation.resume(returning: settings.authorizationStatus)
        }
      }
      switch status {
      case .notDetermined: return nil
      case .denied: return false
      default: return true
      }
    }

    /// Asks the person for permission. If the person was asked before, returns the earlier answer.
    public func requestAuthorization(_ options: [NotificationOption]) async throws -> Bool {
      var asked: UNAuthorizationOptions = []
      if options.contains(.alert) { asked.insert(.alert) }
      if options.contains(.sound) { asked.insert(.sound) }
      if options.contains(.badge) { asked.insert(.badge) }
      return try await withCheckedThrowingContinuation { continuation in
        UNUserNotificationCenter.current().requestAuthorization(options: asked) { isGranted, error in
          if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: isGranted) }
        }
      }
    }

    /// Registers for remote notifications and returns the device token. Waits until ``didRegister(deviceToken:)`` or
    /// ``didFailToRegister(_:)`` is called.
    public func registerForRemoteNotifications() async throws -> [UInt8] {
      try await withCheckedThrowingContinuation { continuation in
        tokenWaiters.withLock { $0.append(continuation) }
        Task { @MainActor in UIApplication.shared.registerForRemoteNotifications() }
      }
    }

    /// Forwards the device token. The app delegate must call it in `didRegisterForRemoteNotificationsWithDeviceToken`.
    public func didRegister(deviceToken: Data) { answerTokenWaiters(.success([UInt8](deviceToken))) }

    /// Forwards the error. The app delegate must call it in `didFailToRegisterForRemoteNotificationsWithError`.
    public func didFailToRegister(_ error: any Error) { answerTokenWaiters(.failure(error)) }

    private func answerTokenWaiters(_ result: Result<[UInt8], any Error>) {
      let waiters = tokenWaiters.withLock { waiters in
        defer { waiters = [] }
        return waiters
      }
      for waiter in waiters { waiter.resume(with: result) }
    }

    /// Schedules a local notification with the system, which delivers it even after the app has ended.
    public func add(_ request: NotificationRequest, wake: @escaping Wake) throws {
      let parts = NotificationContent(request)
      let content = UNMutableNotificationContent()
      content.title = parts.title
      content.body = parts.body
      if parts.hasSound { content.sound = .default }
      if let badge = parts.badge { content.badge = NSNumber(value: badge) }
      content.categoryIdentifier = parts.category
      content.userInfo = request.payload.userInfo
      let trigger = UNTimeIntervalNotificationTrigger(timeInterval: parts.seconds, repeats: parts.repeats)
      UNUserNotificationCenter.current().add(
        UNNotificationRequest(identifier: request.id, content: content, trigger: trigger), withCompletionHandler: nil)
    }

    /// Removes the pending local notifications with these ids, or all of them if `ids` is nil.
    public func removePending(_ ids: [String]?) {
      let center = UNUserNotificationCenter.current()
      if let ids {
        center.removePendingNotificationRequests(withIdentifiers: ids)
      } else {
        center.removeAllPendingNotificationRequests()
      }
    }

    /// Passes every notification on to `delegate`, starting with those that have already arrived.
    public func setDelegate(_ delegate: (@Sendable (NotificationDelivery) -> Void)?) { inbox.setDelegate(delegate) }

    /// Called by the system when a notification arrives while the app is in the foreground.
    public func userNotificationCenter(
      _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
      withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
      let request = notification.request
      inbox.deliver(
        NotificationDelivery(
          id: request.identifier, kind: .received,
          payload: .object(ValueObject(userInfo: request.content.userInfo))))
      completionHandler(presentation)
    }

    /// Called by the system when a person taps a notification, chooses a button or dismisses it.
    public func userNotificationCenter(
      _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
      withCompletionHandler completionHandler: @escaping () -> Void
    ) {
      // Proof of safety: `finish` is called once, on the main actor, as the system demands.
      nonisolated(unsafe) let finish = completionHandler
      let request = response.notification.request
      inbox.deliver(
        NotificationDelivery(
          id: request.identifier, kind: .tapped, payload: .object(ValueObject(userInfo: request.content.userInfo)),
          action: response.actionIdentifier, reply: (response as? UNTextInputNotificationResponse)?.userText
        ) { _ in
          Task { @MainActor in finish() }
        })
    }

    /// Handles a notification that wakes the app without being shown. The app delegate must call it in
    /// `didReceiveRemoteNotification`.
    public func didReceive(
      remoteNotification userInfo: [AnyHashable: Any],
      completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
      // Proof of safety: `finish` is called once, on the main actor, as the system demands.
      nonisolated(unsafe) let finish = completionHandler
      inbox.deliver(
        NotificationDelivery(
          id: UUID().uuidString, kind: .received, payload: .object(ValueObject(userInfo: userInfo))
        ) { result in
          let answer: UIBackgroundFetchResult =
            switch result {
            case .newData: .newData
            case .noData: .noData
            case .failed: .failed
            }
          Task { @MainActor in finish(answer) }
        })
    }
  }
#endif
