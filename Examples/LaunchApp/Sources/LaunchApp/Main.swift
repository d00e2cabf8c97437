import FlowKit
import Foundation
import NotificationPlugin
import SyncPlugin

/// An app shell: `LaunchApp [ROUTE]` launches, as a tap on a notification with a route does.
@main struct Main {
  static func main() async throws {
    let engine = Engine {
      NotificationPlugin()
      SyncPlugin(schemas: Schemas.all)
      LibraryPlugin(Library())
      ScreenPlugin(Screen())
    }
    let route = CommandLine.arguments.dropFirst().first
    let run = try launch(engine, route: route, dataFolder: dataFolder, .init(cloud: dataFolder + "/cloud.sqlite"))

    let gate = await run.gate
    print("the first screen is there: \(gate.outcome.word)")

    run.post(Events.shelfFirstScroll)
    run.finishPosting()
    let outputs = await run.outputs
    print("\(outputs.books ?? 0) books, page \(outputs.page ?? "none")")
    if let openings = outputs.openings?.integerValue { print("openings on all devices: \(openings)") }
  }

  /// Starts the launch; a route came with the notification that was tapped.
  static func launch(
    _ engine: Engine, route: String?, dataFolder: String, _ inputs: Workflows.Launch.Inputs = .init(),
    clock: VirtualClock? = nil
  ) throws -> TypedRun<Workflows.Launch> {
    let folder = try DataFolder(making: dataFolder)
    var options = RunOptions(dataFolder: folder.path, workflowFolder: folder.path)
    options.acceptsEvents = true
    options.clock = clock
    if let route {
      options.launch = Launch(
        reason: .notification, options: ["payload": ["aps": ["alert": "A book for you"], "route": .string(route)]])
    }
    return try engine.start(Workflows.launch, inputs, options: options)
  }

  private static var dataFolder: String { FileManager.default.temporaryDirectory.path + "/launch-app" }
}
