#if canImport(UIKit) && canImport(UserNotifications)
  public import FlowModel
  public import NotificationPlugin
  import Synchronization
  public import UIKit
  public import UserNotifications

  /// The notifications of the device, for ``NotificationPlugin``. Create it in the app delegate and call ``install()``
  /// before the launch has finished, so that no tap is lost.
  ///
  /// ```swift
  /// let center = DeviceNotificationCenter()
  /// let engine = Engine { NotificationPlugin(center: center) }
  /// ```
  public final class DeviceNotificationCenter: NSObject, UserNotificationCenter, UNUserNotificationCenterDelegate {
    private let inbox = NotificationInbox()
    private let presentation: UNNotificationPresentationOptions
    private let tokenWaiters = Mutex<[CheckedContinuation<[UInt8], any Error>]>([])

    /// Creates the center. `presentation` determines how the system shows a notification while the app is in the
    /// foreground; with an empty set, only the app's own interface shows it.
    public init(presentation: UNNotificationPresentationOptions = [.banner, .list, .sound, .badge]) {
      self.presentation = presentation
    }

    /// Installs the center as the system's delegate.
    public func install() { UNUserNotificationCenter.current().delegate = self }

    // MARK: What the plugin asks

    /// The permission recorded by the system, without asking.
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

    /// Asks the person, or returns the earlier answer.
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

    /// Registers for remote notifications. Returns after ``didRegister(deviceToken:)`` or ``didFailToRegister(_:)``.
    public func registerForRemoteNotifications() async throws -> [UInt8] {
      try await withCheckedThrowingContinuation { continuation in
        tokenWaiters.withLock { $0.append(continuation) }
        Task { @MainActor in UIApplication.shared.registerForRemoteNotifications() }
      }
    }

    /// Call this from the app delegate's `didRegisterForRemoteNotificationsWithDeviceToken`.
    public func didRegister(deviceToken: Data) { answerTokenWaiters(.success([UInt8](deviceToken))) }

    /// Call this from the app delegate's `didFailToRegisterForRemoteNotificationsWithError`.
    public func didFailToRegister(_ error: any Error) { answerTokenWaiters(.failure(error)) }

    private func answerTokenWaiters(_ result: Result<[UInt8], any Error>) {
      let waiters = tokenWaiters.withLock { waiters in
        defer { waiters = [] }
        return waiters
      }
      for waiter in waiters { waiter.resume(with: result) }
    }

    /// Schedules a local notification with the system, which keeps it after the app ends.
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

    /// Passes every notification to `delegate`, beginning with those that arrived before.
    public func setDelegate(_ delegate: (@Sendable (NotificationDelivery) -> Void)?) { inbox.setDelegate(delegate) }

    // MARK: What the system delivers

    /// Handles a notification that arrives while the app is in the foreground.
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

    /// Handles a person's tap on a notification, choice of a button, or dismissal.
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

    /// Handles the app delegate's `didReceiveRemoteNotification`: a notification that wakes the app without being
    /// shown.
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
