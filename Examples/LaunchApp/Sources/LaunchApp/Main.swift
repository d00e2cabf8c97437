import FlowApple
import FlowKit
import Foundation
import NotificationPlugin
import SyncPlugin

/// An app in the terminal. `LaunchApp [ROUTE]` launches it, as if a notification with this route had been tapped.
@main struct Main {
  @MainActor static func main() async throws {
    let engine = Engine {
      NotificationPlugin()
      SyncPlugin(schemas: Schemas.all)
      LibraryPlugin(Library())
      ScreenPlugin(Screen())
    }
    let route = CommandLine.arguments.dropFirst().first
    let model = try launch(engine, route: route, dataFolder: dataFolder, .init(cloud: dataFolder + "/cloud.sqlite"))

    await model.opened()
    print("the first screen is there: \(model.gate?.outcome.word ?? model.problem ?? "")")

    model.post(Events.shelfFirstScroll)
    model.finishPosting()
    guard let outputs = await model.run?.outputs else { return }
    print("\(outputs.books ?? 0) books, page \(outputs.page ?? "none")")
    if let openings = outputs.openings?.integerValue { print("openings on all devices: \(openings)") }
  }

  /// Starts the launch. `route` is that of the tapped notification, or nil if the app was opened otherwise.
  @MainActor static func launch(
    _ engine: Engine, route: String?, dataFolder: String, _ inputs: Workflows.Launch.Inputs = .init(),
    clock: VirtualClock? = nil
  ) throws -> LaunchModel<Workflows.Launch> {
    let folder = try DataFolder(making: dataFolder)
    var options = RunOptions(dataFolder: folder.path, workflowFolder: folder.path)
    options.clock = clock
    let model = LaunchModel(engine, Workflows.launch, inputs, options: options)
    if let route {
      model.start(
        Launch(
          reason: .notification, options: ["payload": ["aps": ["alert": "A book for you"], "route": .string(route)]]))
    } else {
      model.start()
    }
    return model
  }

  private static var dataFolder: String { FileManager.default.temporaryDirectory.path + "/launch-app" }
}
