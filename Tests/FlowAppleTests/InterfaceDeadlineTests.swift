import Dispatch
import FlowKit
import FlowPluginKit
import FlowSyntax
import Synchronization
import Testing
import UserInterfacePlugin

/// A user interface on the main thread, as an app would implement it with UIKit.
@MainActor private final class WindowInterface: ApplicationInterface {
  private let calls: Calls

  init(_ calls: Calls) { self.calls = calls }

  var isReady: Bool { calls.all.contains("present") }
  var state: InterfaceState { InterfaceState() }
  func launch(storyboard: String?) { calls.add("launch") }
  func restore(_ state: InterfaceState) {}
  func showSplash(_ asset: String?) { calls.add("splash") }
  func makeWindow(_ content: WindowContent) -> String {
    calls.add("window")
    return content.selected
  }
  func present() { calls.add("present") }
  func select(tab: String) { calls.add("select \(tab)") }
  func open(_ page: PageRequest) { calls.add("open \(page.page)") }
  func showBanner(title: String, body: String) {}
  func onStateChange(_ handler: @escaping @Sendable (InterfaceState) -> Void) {}
}

private final class Calls: Sendable {
  private let names = Mutex<[String]>([])
  var all: [String] { names.withLock { $0 } }
  func add(_ name: String) { names.withLock { $0.append(name) } }
}

/// Keeps the main thread blocked from ``begin()`` to ``end()``.
private final class MainThreadHold: Sendable {
  private let begun = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  func begin() {
    DispatchQueue.main.async { [self] in
      begun.signal()
      ended.wait()
    }
    begun.wait()
  }

  func end() { ended.signal() }
}

@Suite(.timeLimit(.minutes(1))) struct `Steps that use the interface` {
  private func start(
    _ text: String, _ engine: Engine, _ signal: DispatchSemaphore
  ) throws -> (WorkflowRun, Report) {
    let graph = try WorkflowGraph(compiled: Workflow.compiled(text, engine))
    let run = try engine.start(graph, options: runOptions())
    let report = Report()
    run.whenEnded {
      report.set($0)
      signal.signal()
    }
    return (run, report)
  }

  private final class Report: Sendable {
    private let report = Mutex<RunReport?>(nil)
    var value: RunReport? { report.withLock { $0 } }
    func set(_ value: RunReport) { report.withLock { $0 = value } }
  }

  @Test @MainActor func `if the main thread waits for a run, the run's interface steps time out and the run ends`()
    throws
  {
    let calls = Calls()
    let engine = Engine { UserInterfacePlugin { await WindowInterface(calls) } }
    let ended = DispatchSemaphore(value: 0)
    let (_, report) = try start(
      "name: app\nsteps: { app: { uses: ui.launch, deadline: 200ms } }", engine, ended)
    #expect(ended.wait(timeout: .now() + 50) == .success)
    #expect(report.value?.steps.map(\.outcome) == [.timedOut])
    #expect(calls.all == [])
  }

  @Test func `interface steps time out if the main thread is busy, and do not run later`() async throws {
    let (calls, hold) = (Calls(), MainThreadHold())
    let engine = Engine {
      UserInterfacePlugin { await WindowInterface(calls) }
      action("main.hold") { _ in hold.begin() }
    }
    let ended = DispatchSemaphore(value: 0)
    let (run, _) = try start(
      """
      name: app
      steps:
        app: { uses: ui.launch }
        busy: { uses: main.hold, needs: app }
        window: { uses: ui.window, needs: busy, deadline: 200ms, with: { tabs: [map] } }
      """, engine, ended)
    let report = await run.report
    #expect(report.steps.map(\.outcome) == [.success, .success, .timedOut])
    hold.end()
    await MainActor.run {}
    #expect(calls.all == ["launch"])
  }

  @Test func `interface steps run on the main thread in the order of their dependencies`() async throws {
    let calls = Calls()
    let engine = Engine { UserInterfacePlugin { await WindowInterface(calls) } }
    let (run, _) = try start(
      """
      name: app
      steps:
        app: { uses: ui.launch }
        splash: { uses: ui.splash, needs: app }
        window: { uses: ui.window, needs: splash, queue: main, with: { tabs: [map, badges] } }
        show: { uses: ui.present, needs: window }
        tab: { uses: ui.select, needs: show, with: { tab: badges } }
      """, engine, DispatchSemaphore(value: 0))
    #expect(await run.report.conclusion == .success)
    #expect(calls.all == ["launch", "splash", "window", "present", "select badges"])
  }

  @Test @MainActor func `interface steps do not need the main thread if the interface is headless`() throws {
    let engine = Engine { UserInterfacePlugin() }
    let ended = DispatchSemaphore(value: 0)
    let (_, report) = try start(
      """
      name: app
      steps:
        app: { uses: ui.launch }
        window: { uses: ui.window, needs: app, with: { tabs: [map] } }
        show: { uses: ui.present, needs: window }
      """, engine, ended)
    #expect(ended.wait(timeout: .now() + 50) == .success)
    #expect(report.value?.conclusion == .success)
  }
}
