import FlowKit
import FlowPluginKit
import Foundation
import StoragePlugin
import Synchronization
import Testing
import UserInterfacePlugin

/// A headless interface whose window can fail to appear.
private nonisolated final class FragileInterface: ApplicationInterface, CallableAnywhere {
  let whole = HeadlessInterface()
  private let beforePresent: @Sendable () async throws -> Void

  init(beforePresent: @escaping @Sendable () async throws -> Void) { self.beforePresent = beforePresent }

  var isReady: Bool { whole.isReady }
  var state: InterfaceState { whole.state }
  func launch(storyboard: String?) { whole.launch(storyboard: storyboard) }
  func restore(_ state: InterfaceState) { whole.restore(state) }
  func showSplash(_ asset: String?) { whole.showSplash(asset) }
  func makeWindow(_ content: WindowContent) -> String { whole.makeWindow(content) }
  func present() async throws {
    try await beforePresent()
    try whole.present()
  }
  func select(tab: String) throws { try whole.select(tab: tab) }
  func open(_ page: PageRequest) throws { try whole.open(page) }
  func showBanner(title: String, body: String) {}
  func onStateChange(_ handler: @escaping @Sendable (InterfaceState) -> Void) { whole.onStateChange(handler) }
}

/// An app that keeps the state of its interface in a store on disk.
private struct StoredApp {
  /// The point at which a launch ends.
  enum End { case ready, killed, cancelled }

  /// The environment variable that passes the data folder to a process that is killed.
  static let variable = "FLOWRUN_TEST_APP"

  let folder: String

  private static let text = """
    name: app
    steps:
      open-store: { uses: storage.open }
      app: { uses: ui.launch }
      restore: { uses: ui.restore, needs: [app, open-store] }
      window: { uses: ui.window, needs: restore, with: { tabs: [map] } }
      show: { uses: ui.present, needs: window }
      page: { uses: page.open, needs: show }
    outputs: { pages: "${{ steps.restore.outputs.pages }}" }
    """

  /// Launches the app and returns the restored pages. With `page`, opens a page after the window is visible.
  func launch(_ end: End = .ready, page: String? = nil) async throws -> Value? {
    let started = Mutex<WorkflowRun?>(nil)
    let interface = FragileInterface {
      if end == .killed { kill(getpid(), SIGKILL) }
      guard end == .cancelled else { return }
      while started.withLock({ $0 }) == nil { await Task.yield() }
      started.withLock { $0 }?.cancel()
      while !Task.isCancelled { await Task.yield() }
      throw CancellationError()
    }
    let engine = Engine {
      StoragePlugin()
      UserInterfacePlugin { interface }
      action("page.open") { _ in
        if let page { try interface.open(PageRequest(page: page)) }
      }
    }
    let graph = try WorkflowGraph(compiled: Workflow.compiled(Self.text, engine))
    let run = try engine.start(graph, options: RunOptions(dataFolder: folder, workflowFolder: folder))
    started.withLock { $0 = run }
    let report = await run.report
    #expect(report.conclusion == (end == .ready ? .success : .cancelled))
    return report.outputs["pages"]
  }

  /// Launches the app in another process, which is killed while the window is being shown.
  func launchAndKill() async {
    setenv(Self.variable, folder, 1)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      let folder = try #require(ProcessInfo.processInfo.environment[StoredApp.variable])
      _ = try await StoredApp(folder: folder).launch(.killed)
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct `Pages after launches that did not show their window` {
  private let app = StoredApp(
    folder: FileManager.default.temporaryDirectory.path + "/flowrun-app-\(UUID().uuidString)")

  @Test func `a page is not restored after two processes were killed while showing the window`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: app.folder) }
    #expect(try await app.launch(page: "order") == [])
    await app.launchAndKill()
    // A launch that shows its window begins a new count.
    #expect(try await app.launch() == ["order"])
    await app.launchAndKill()
    await app.launchAndKill()
    #expect(try await app.launch() == [])
    #expect(try await app.launch() == [])
  }

  @Test func `a page is restored after launches that were cancelled while showing the window`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: app.folder) }
    #expect(try await app.launch(page: "order") == [])
    for _ in 0..<3 { _ = try await app.launch(.cancelled) }
    await app.launchAndKill()
    _ = try await app.launch(.cancelled)
    #expect(try await app.launch() == ["order"])
  }
}
