#if canImport(UIKit)
  import FlowKit
  public import UIKit

  /// A scene in which the app is launched. Its window shows the splash until the gate has opened, and then the content.
  /// A scene delegate keeps the object and forwards calls to it.
  ///
  /// ```swift
  /// func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
  ///   guard let scene = scene as? UIWindowScene else { return }
  ///   launch = LaunchScene(model, in: scene, options, splash: SplashController()) { ShelfController() }
  /// }
  /// func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) { launch?.open(contexts) }
  /// func scene(_ scene: UIScene, continue activity: NSUserActivity) { launch?.resume(activity) }
  /// ```
  @MainActor public final class LaunchScene<Workflow: PackagedWorkflow> {
    /// The window that shows the splash and the content.
    public let window: UIWindow
    private let model: LaunchModel<Workflow>

    /// Creates the window, shows the splash and starts the launch. If the launch has started before, handles the links
    /// of this scene like those of an open one.
    public init(
      _ model: LaunchModel<Workflow>, in scene: UIWindowScene, _ options: UIScene.ConnectionOptions,
      splash: UIViewController, content: @escaping @MainActor () -> UIViewController
    ) {
      self.model = model
      window = UIWindow(windowScene: scene)
      window.rootViewController = splash
      window.makeKeyAndVisible()
      let launch = Launch(connectionOptions: options)
      if model.phase == .idle { model.start(launch) } else { resume(launch) }
      Task { [weak self, model] in
        await model.opened()
        self?.window.rootViewController = content()
      }
    }

    /// Handles URLs that are opened while the app is running.
    public func open(_ contexts: Set<UIOpenURLContext>) {
      model.post(.sceneOpenURLContexts, value: .array(contexts.map(LaunchValues.urlContext)))
    }

    /// Handles a user activity, such as a universal link, that is opened while the app is running.
    public func resume(_ activity: NSUserActivity) {
      model.post(.appContinueUserActivity, value: LaunchValues.userActivity(activity))
    }

    /// Handles the links of a scene that connects while the app is running, like those of an open scene.
    private func resume(_ launch: Launch) {
      if let contexts = launch.options["urlContexts"] { model.post(.sceneOpenURLContexts, value: contexts) }
      for activity in launch.options["userActivities"]?.arrayValue ?? [] {
        model.post(.appContinueUserActivity, value: activity)
      }
    }
  }
#endif
