import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import Synchronization
import Testing

@testable import UserInterfacePlugin

/// One launch of the headless interface. Its store can be passed to other launches.
struct InterfaceRun {
  let host: TestHost

  init(_ store: MemoryKeyValueStore = MemoryKeyValueStore(), workflowFolder: String = "/") {
    var handles: [HandleKey: any Sendable] = [.keyValueStore: store]
    for handle in UserInterfacePlugin().handles { handles[handle.key] = handle.handle }
    host = TestHost(workflowFolder: workflowFolder, handles: handles)
  }

  var interface: HeadlessInterface { host.handle(.userInterface)! }

  @discardableResult func call(_ action: any ActionType.Type, _ inputs: ValueObject = [:]) async throws -> ValueObject {
    try await host.call(action, with: inputs)
  }

  /// Performs the steps of the launch until the window is visible.
  @discardableResult func launch() async throws -> ValueObject {
    try await call(LaunchInterface.self)
    let restored = try await call(RestoreInterface.self)
    try await call(MakeWindow.self, ["tabs": ["map", "routes", "badges", "profile"]])
    try await call(PresentInterface.self)
    return restored
  }

  func code(_ action: any ActionType.Type, _ inputs: ValueObject = [:]) async -> String? {
    do {
      try await call(action, inputs)
      return nil
    } catch {
      return (error as? ActionError)?.code ?? "\(error)"
    }
  }
}

struct `The launch of the interface` {
  @Test func `P1, R5: posts the events of the application's life cycle in order`() async throws {
    let run = InterfaceRun()
    try await run.call(LaunchInterface.self)
    #expect(run.host.posts == ["app.will-finish-launching"])
    try await run.call(RestoreInterface.self)
    #expect(run.host.posts.last == "app.did-finish-launching")
    try await run.call(MakeWindow.self, ["tabs": ["map"]])
    #expect(run.host.posts.last == "scene.connect")
    #expect(!run.interface.isReady)
    try await run.call(PresentInterface.self)
    #expect(run.host.posts.suffix(2) == ["ui.ready", "app.did-become-active"])
    #expect(run.interface.isReady)
  }

  @Test func `P1: launches without a storyboard, but reports a missing one`() async {
    #expect(await InterfaceRun().code(LaunchInterface.self) == nil)
    #expect(
      await InterfaceRun().code(LaunchInterface.self, ["storyboard": "no/Main.storyboard"]) == "storyboard-missing")
    #expect(await InterfaceRun().code(LaunchInterface.self, ["storyboard": "/etc/passwd"]) == nil)
  }

  @Test func `P2, R7: restores the tab and pages of the last launch before it posts did-finish-launching`()
    async throws
  {
    let store = MemoryKeyValueStore()
    let first = InterfaceRun(store)
    #expect(try await first.launch()["restored"] == false)
    try await first.call(SelectTab.self, ["tab": "badges"])
    try first.interface.open(PageRequest(page: "product", presentation: .present, parameters: ["id": 5]))

    let second = InterfaceRun(store)
    try await second.call(LaunchInterface.self)
    let restored = try await second.call(RestoreInterface.self)
    #expect(restored == ["restored": true, "tab": "badges", "pages": ["product"]])
    #expect(second.host.posts == ["app.will-finish-launching", "app.did-finish-launching"])
    let window = try await second.call(MakeWindow.self, ["tabs": ["map", "badges"]])
    #expect(window["tab"] == "badges")
    #expect(
      second.interface.state.pages == [PageRequest(page: "product", presentation: .present, parameters: ["id": 5])])
  }

  @Test func `P2: reports every change to the state, and saves the initial tab`() async throws {
    let interface = HeadlessInterface()
    let seen = Mutex<[InterfaceState]>([])
    interface.onStateChange { state in seen.withLock { $0.append(state) } }
    var expected = [InterfaceState(tab: "gone", pages: [PageRequest(page: "a")])]
    interface.restore(expected[0])
    expected.append(InterfaceState(tab: "map", pages: [PageRequest(page: "a")]))
    #expect(interface.makeWindow(WindowContent(tabs: ["map", "routes"], selected: "map")) == "map")
    _ = interface.makeWindow(WindowContent(tabs: ["map", "routes"], selected: "routes"))
    try interface.present()
    #expect(seen.withLock { $0 } == expected)
    let store = MemoryKeyValueStore()
    try await InterfaceRun(store).launch()
    #expect(try await InterfaceRun(store).launch()["tab"] == "map")
  }

  @Test func `R7: selects the default tab if the restored one no longer exists`() async throws {
    let run = InterfaceRun(MemoryKeyValueStore(["state": ["tab": "gone", "pages": []]], in: "ui"))
    try await run.call(LaunchInterface.self)
    try await run.call(RestoreInterface.self)
    #expect(try await run.call(MakeWindow.self, ["tabs": ["map", "routes"], "selected": "routes"])["tab"] == "routes")
  }

  @Test(
    arguments: ["nonsense", [:], ["pages": [["page": 5]]], ["pages": [["page": "a", "presentation": "fly"]]]] as [Value]
  )
  func `R7: logs a warning and continues if the saved state is invalid`(_ saved: Value) async throws {
    let run = InterfaceRun(MemoryKeyValueStore(["state": saved], in: "ui"))
    #expect(try await run.launch()["restored"] == false)
    #expect(run.host.logLines.map(\.level) == [.warning])
  }

  @Test func `keeps the open page and logs a warning if the state cannot be saved`() async throws {
    let store = MemoryKeyValueStore()
    let run = InterfaceRun(store)
    try await run.launch()
    store.fail(with: ActionError("disk-full", "no space is left"))
    try run.interface.open(PageRequest(page: "product"))
    #expect(run.host.logLines.map(\.level) == [.warning])
    #expect(run.interface.state.pages.count == 1)
  }

  @Test func `logs a warning and shows no splash if the window is already visible`() async throws {
    let run = InterfaceRun()
    try await run.launch()
    #expect(try await run.call(ShowSplash.self)["shown"] == false)
    #expect(run.host.logLines.last?.level == .warning)
  }

  @Test func `saves only the last hundred pages`() {
    var state = InterfaceState(tab: "map")
    for index in 0..<101 { state.open(PageRequest(page: "page-\(index)")) }
    #expect(state.pages.count == 100 && state.pages.first?.page == "page-1")
    #expect(InterfaceState(state.value) == state)
  }

  @Test func `L17: passes the tabs and the environment to the content view`() async throws {
    let run = InterfaceRun()
    try await run.call(LaunchInterface.self)
    try await run.call(MakeWindow.self, ["tabs": ["map", "routes"], "environment": ["language": "zh-Hans"]])
    #expect(
      run.interface.content
        == WindowContent(tabs: ["map", "routes"], selected: "map", environment: ["language": "zh-Hans"]))
  }

  @Test(
    arguments: [
      (["tabs": []], "tabs"), (["tabs": ["a", "b", "a"]], "tabs"), (["tabs": ["a"], "selected": "b"], "selected"),
    ] as [(ValueObject, String)])
  func `refuses invalid tabs before and during the run`(_ inputs: ValueObject, _ place: String)
    async throws
  {
    #expect(MakeWindow.check(LiteralInput(inputs)).map(\.keyPath) == [place])
    let run = InterfaceRun()
    try await run.call(LaunchInterface.self)
    #expect(await run.code(MakeWindow.self, inputs) == "tabs-invalid")
  }

  @Test func `R8: refuses to show a missing window, or to open a page before a window is visible`() async throws {
    let run = InterfaceRun()
    #expect(await run.code(PresentInterface.self) == "handle-missing")
    try await run.call(LaunchInterface.self)
    #expect(await run.code(PresentInterface.self) == "no-window")
    #expect(run.host.posts == ["app.will-finish-launching"])
    try await run.call(MakeWindow.self, ["tabs": ["map"]])
    #expect(throws: ActionError.self) { try run.interface.open(PageRequest(page: "product")) }
    #expect(await run.code(SelectTab.self, ["tab": "moon"]) == "unknown-tab")
  }

  @Test func `P9: does not create an interface when the plugin is created`() {
    _ = ActionRegistry([
      UserInterfacePlugin {
        Issue.record("made without a run"); return HeadlessInterface()
      }
    ])
  }
}

@Suite(.timeLimit(.minutes(10))) struct `The splash` {
  @Test func `R3, L27: shows the splash until the window replaces it, without delaying other steps`() async throws {
    let run = InterfaceRun()
    try await run.call(LaunchInterface.self)
    let splash = Task { try await run.call(ShowSplash.self) }
    #expect(await run.host.readied() == ["size-bytes": 0, "shown": true])
    try await run.call(MakeWindow.self, ["tabs": ["map"]])
    try await run.call(PresentInterface.self)
    #expect(try await splash.value == ["size-bytes": 0, "shown": true])
  }

  @Test func `removes the splash at the end of the run if no window is ever shown`() async throws {
    let run = InterfaceRun()
    try await run.call(LaunchInterface.self)
    let splash = Task { try await run.call(ShowSplash.self) }
    _ = await run.host.readied()
    run.host.cancel()
    #expect(try await splash.value == ["size-bytes": 0, "shown": true])
  }

  @Test func `R4: refuses a splash of more than 25 MB`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "splash-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/splash.storyboard"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: UInt64(ShowSplash.limitBytes) + 1)
    let run = InterfaceRun(workflowFolder: folder)
    try await run.call(LaunchInterface.self)
    #expect(await run.code(ShowSplash.self, ["asset": "splash.storyboard"]) == "splash-too-large")
    #expect(await run.code(ShowSplash.self, ["asset": "none.storyboard"]) == "splash-missing")
    try file.truncate(atOffset: UInt64(ShowSplash.limitBytes))
    try await run.call(MakeWindow.self, ["tabs": ["map"]])
    try await run.call(PresentInterface.self)
    #expect(
      try await run.call(ShowSplash.self, ["asset": "splash.storyboard"])
        == ["size-bytes": 25_000_000, "shown": false])
  }

  @Test func `R4: warns before the run if the splash is a static image`() {
    let problems = ShowSplash.check(LiteralInput(["asset": "launch.PNG"]))
    #expect(problems.map(\.isWarning) == [true])
    #expect(ShowSplash.check(LiteralInput(["asset": "launch.storyboard"])).isEmpty)
  }
}
