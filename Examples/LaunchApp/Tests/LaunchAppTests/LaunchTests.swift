import FlowTestKit
import FlowKit
import Foundation
import NotificationPlugin
import SyncPlugin
import Testing

@testable import LaunchApp

/// Tests the plan of the launch on a virtual clock. No step runs, and no time passes.
struct LaunchPlanTests {
  @Test func `the shelf is visible after 200 ms, without waiting for the account`() throws {
    #expect(
      try Scenario(Workflows.Launch.graph()).timeline() == [
        "0s splash starts", "0s open-library starts", "0s check-account starts", "0s payload: skipped",
        "16ms splash: success", "60ms open-library: success", "60ms books starts", "180ms books: success",
        "180ms show starts", "200ms check-account: success", "200ms show: success", "200ms open-page: skipped",
        "200ms connect: skipped", "200ms count-opening: skipped", "200ms openings: skipped", "200ms covers: skipped",
        "200ms the gate opens: ready",
      ])
  }

  /// The budget of the launch. The test fails if longer estimates exceed it.
  @Test func `the gate opens within 250 ms`() throws {
    let plan = try Scenario(Workflows.Launch.graph()).simulated()
    #expect(plan.gate.outcome == .ready)
    #expect(try #require(plan.gate.openedAtNanoseconds) <= 250_000_000)
  }

  @Test func `the gate opens after 800 ms if the library hangs`() throws {
    let launch = try Scenario(Workflows.Launch.graph(), durations: ["open-library": .seconds(30)])
    let gate = try launch.simulated().gate
    #expect(gate.outcome == .timedOut && gate.openedAtNanoseconds == 800_000_000)
  }
}

/// Tests the launch with the code of the app.
@MainActor struct LaunchTests {
  private func launched(
    route: String?, _ inputs: Workflows.Launch.Inputs = .init()
  ) async throws -> (lines: [String], outputs: Workflows.Launch.Outputs) {
    let screen = Screen(draws: false)
    let engine = Engine {
      NotificationPlugin(center: HeadlessNotificationCenter())
      SyncPlugin(schemas: Schemas.all)
      LibraryPlugin(Library(serverAnswersAfter: .zero))
      ScreenPlugin(screen)
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("launch-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let model = try Main.launch(engine, route: route, dataFolder: folder.path, inputs)
    #expect(model.showsSplash)
    model.post(Events.shelfFirstScroll)
    model.finishPosting()
    await model.opened()
    #expect(!model.showsSplash && model.gate?.outcome == .ready)
    let run = try #require(model.run)
    let outputs = await run.outputs
    #expect(run.outputs(of: Workflows.Launch.Steps.covers)?.count == 3)
    #expect(run.outputs(of: Workflows.Launch.Steps.checkAccount)?.plan == .full)
    return (screen.lines, outputs)
  }

  @Test func `the launch shows the shelf with the books`() async throws {
    let (lines, outputs) = try await launched(route: nil)
    #expect(lines == ["· LaunchApp ·", "[Dune] [Emma] [Ulysses]"])
    #expect(outputs.books == 3 && outputs.page == nil)
  }

  @Test func `the account check times out after 300 ms of virtual time if the server is slow`() async throws {
    let screen = Screen(draws: false)
    let engine = Engine {
      NotificationPlugin()
      SyncPlugin(schemas: Schemas.all)
      LibraryPlugin(Library(serverAnswersAfter: .seconds(60)))
      ScreenPlugin(screen)
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("launch-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let model = try Main.launch(engine, route: nil, dataFolder: folder.path, clock: VirtualClock())
    model.finishPosting()
    let run = try #require(model.run)
    #expect(
      await run.report.timeline() == [
        "0s splash starts", "0s splash: success", "0s open-library starts", "0s open-library: success",
        "0s books starts", "0s books: success", "0s check-account starts", "0s show starts", "0s show: success",
        "0s payload: skipped", "0s open-page: skipped", "0s connect: skipped", "0s count-opening: skipped",
        "0s openings: skipped", "0s the gate opens: ready", "300ms check-account: timed-out", "300ms covers: skipped",
      ])
  }

  @Test func `a tap on a notification opens its page after the shelf`() async throws {
    let (lines, outputs) = try await launched(route: "book://dune")
    #expect(lines.last == "page: dune")
    #expect(outputs.page == "dune")
  }

  @Test func `two devices share the count of opened pages`() async throws {
    let cloud = FileManager.default.temporaryDirectory.appendingPathComponent("cloud-\(UUID().uuidString).sqlite").path
    defer { try? FileManager.default.removeItem(atPath: cloud) }
    let phone = try await launched(route: "book://dune", .init(device: "phone", cloud: cloud)).outputs
    #expect(phone.openings == 1)
    let tablet = try await launched(route: "book://dune", .init(device: "tablet", cloud: cloud)).outputs
    #expect(tablet.openings == 2)
  }
}
