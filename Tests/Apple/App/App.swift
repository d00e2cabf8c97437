// swift-format-ignore-file
// The code of docs/ios.md and of *SwiftUI and UIKit* in docs/embedding.md as part of an app, for
// scripts/apple-branches. `Tests/TidyTests/IOSPageTests.swift` checks that it equals the pages.
import CloudKit
import FlowApple
import FlowKit
import Foundation
import NotificationPlugin
import SwiftUI
import SyncKit
import UIKit

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
  private var launch: LaunchScene<Workflows.Launch>?

  func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
    guard let scene = scene as? UIWindowScene else { return }
    launch = LaunchScene(AppDelegate.model, in: scene, options, splash: SplashController()) { ShelfController() }
  }

  func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) { launch?.open(contexts) }
  func scene(_ scene: UIScene, continue activity: NSUserActivity) { launch?.resume(activity) }
}

@main final class AppDelegate: UIResponder, UIApplicationDelegate {
  static let center = DeviceNotificationCenter()
  static let model: LaunchModel<Workflows.Launch> = {
    let folder = URL.applicationSupportDirectory.appending(path: "flowrun").path
    let options = RunOptions(dataFolder: folder, workflowFolder: Bundle.main.resourcePath ?? folder)
    let engine = Engine { NotificationPlugin(center: center) }
    return LaunchModel(engine, Workflows.launch, .init(), options: options)
  }()
  private var lifecycle: LifecycleObserver<Workflows.Launch>?

  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    Self.center.install()
    lifecycle = LifecycleObserver(Self.model)
    return true
  }
}

struct RootView: View {
  let model: LaunchModel<Workflows.Launch>

  var body: some View {
    LaunchGate(model) { SplashView() } content: { ShelfView(books: model.outputs?.books ?? 0) }
  }
}

func notes() -> CloudZoneBackend {
  let zone = CloudKitZone(container: .default(), zone: "Notes")
  let backend = CloudZoneBackend(zones: ["Notes": zone])
  return backend
}

// MARK: The app's own parts

final class SplashController: UIViewController {}
final class ShelfController: UIViewController {}

struct SplashView: View {
  var body: some View { EmptyView() }
}

struct ShelfView: View {
  let books: Int
  var body: some View { EmptyView() }
}

/// A copy of the build plugin's output.
enum Workflows {
  static let launch = Launch()

  struct Launch: PackagedWorkflow {
    struct Inputs: WorkflowInputs {
      var values: ValueObject { [:] }
    }
    struct Outputs: WorkflowOutputs {
      let books: Int?
      init(values: ValueObject) { books = values["books"].flatMap { Int($0) } }
    }
    static let compiled: [UInt8] = []
  }
}
