#if canImport(UIKit) && canImport(UserNotifications)
  import FlowKit
  public import UIKit
  public import UserNotifications

  extension Launch {
    /// Creates the launch of an app from the options of its connecting scene.
    @MainActor public init(connectionOptions options: UIScene.ConnectionOptions) {
      self.init(
        values: LaunchValues.connectionOptions(
          urlContexts: options.urlContexts.map(LaunchValues.urlContext),
          userActivities: options.userActivities.map(LaunchValues.userActivity),
          notificationResponse: options.notificationResponse.map(LaunchValues.notificationResponse),
          shortcutItem: options.shortcutItem.map(LaunchValues.shortcutItem),
          handoffUserActivityType: options.handoffUserActivityType, sourceApplication: options.sourceApplication),
        isInBackground: UIApplication.shared.applicationState == .background)
    }

    /// Creates the launch of an app from the options that its delegate receives. In an app with scenes, links and
    /// notifications are in the connection options instead.
    @MainActor public init(launchOptions options: [UIApplication.LaunchOptionsKey: Any]?) {
      var named: [AnyHashable: Any] = [:]
      for (key, value) in options ?? [:] { named[key.rawValue] = value }
      self.init(
        values: LaunchValues.launchOptions(named) { object in
          switch object {
          case let activity as NSUserActivity: LaunchValues.userActivity(activity)
          case let item as UIApplicationShortcutItem: LaunchValues.shortcutItem(item)
          default: nil
          }
        }, isInBackground: UIApplication.shared.applicationState == .background)
    }
  }

  extension LaunchValues {
    /// Returns the value of a URL context.
    @MainActor public static func urlContext(_ context: UIOpenURLContext) -> Value {
      urlContext(url: context.url.absoluteString, sourceApplication: context.options.sourceApplication)
    }

    /// Returns the value of a user activity.
    public static func userActivity(_ activity: NSUserActivity) -> Value {
      userActivity(
        type: activity.activityType, webpageURL: activity.webpageURL?.absoluteString, userInfo: activity.userInfo ?? [:]
      )
    }

    /// Returns the value of a person's response to a notification.
    public static func notificationResponse(_ response: UNNotificationResponse) -> Value {
      let request = response.notification.request
      return notificationResponse(
        identifier: request.identifier, userInfo: request.content.userInfo, action: response.actionIdentifier,
        userText: (response as? UNTextInputNotificationResponse)?.userText)
    }

    /// Returns the value of a quick action on the home screen.
    @MainActor public static func shortcutItem(_ item: UIApplicationShortcutItem) -> Value {
      shortcutItem(type: item.type, userInfo: item.userInfo ?? [:])
    }
  }

  /// Posts an app's life-cycle events to a launch, and releases file locks while the app is in the background. It works
  /// as long as it exists.
  ///
  /// If the system launches an app in the background, it does not notify the app before suspending it. The observer
  /// therefore requests time from the system, and releases the locks when the launch has ended or the time is up.
  @MainActor public final class LifecycleObserver<Workflow: PackagedWorkflow> {
    private let model: LaunchModel<Workflow>
    private var relay: LifecycleRelay
    private var tokens: [any NSObjectProtocol] = []
    /// The background task that gives a launch in the background more time, and the work that ends with it. Nil for a
    /// launch in the foreground, and after the task has ended.
    private var launchTime: (identifier: UIBackgroundTaskIdentifier, work: BackgroundWork)?

    /// Creates an observer, which starts to post immediately. It should be created when the app is launched.
    public init(_ model: LaunchModel<Workflow>) {
      self.model = model
      relay = LifecycleRelay(startsInBackground: UIApplication.shared.applicationState == .background)
      let names = [UIApplication.willEnterForegroundNotification, UIApplication.didEnterBackgroundNotification]
      tokens = names.map { name in
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { [weak self] _ in
          MainActor.assumeIsolated { self?.post(name.rawValue) }
        }
      }
      if relay.isInBackground { beginLaunchTime() }
    }

    /// Stops posting events and releasing locks.
    public func stop() {
      for token in tokens { NotificationCenter.default.removeObserver(token) }
      tokens = []
    }

    private func post(_ notification: String) {
      guard let event = relay.event(for: notification) else { return }
      model.post(event)
      guard event == .appDidEnterBackground else {
        model.reactivate()
        endLaunchTime()
        return
      }
      // The system suspends the app soon after this function returns, so ask for more time.
      let application = UIApplication.shared
      let time = application.beginBackgroundTask(expirationHandler: nil)
      let suspension = model.suspend()
      Task {
        await suspension.value
        application.endBackgroundTask(time)
      }
    }

    private func beginLaunchTime() {
      let work = model.beginBackgroundWork()
      model.suspend()
      let identifier = UIApplication.shared.beginBackgroundTask { self.endLaunchTime() }
      launchTime = (identifier, work)
      Task { [weak self, model] in
        await model.ended()
        self?.endLaunchTime()
      }
    }

    private func endLaunchTime() {
      guard let (identifier, work) = launchTime else { return }
      launchTime = nil
      Task {
        await work.end().value
        UIApplication.shared.endBackgroundTask(identifier)
      }
    }
  }
#endif
