import FlowModel
import FlowPluginKit
import FlowTestKit
import Synchronization
import Testing

@testable import UserInterfacePlugin

/// An interface that cannot show its window, as if a restored page prevented that.
private nonisolated final class BrokenInterface: ApplicationInterface, CallableAnywhere {
  let whole = HeadlessInterface()
  let failure: any Error

  init(_ failure: any Error) { self.failure = failure }

  var isReady: Bool { whole.isReady }
  var state: InterfaceState { whole.state }
  func launch(storyboard: String?) { whole.launch(storyboard: storyboard) }
  func restore(_ state: InterfaceState) { whole.restore(state) }
  func showSplash(_ asset: String?) { whole.showSplash(asset) }
  func makeWindow(_ content: WindowContent) -> String { whole.makeWindow(content) }
  func present() throws { throw failure }
  func select(tab: String) throws { try whole.select(tab: tab) }
  func open(_ page: PageRequest) throws { try whole.open(page) }
  func showBanner(title: String, body: String) {}
  func onStateChange(_ handler: @escaping @Sendable (InterfaceState) -> Void) { whole.onStateChange(handler) }
}

/// A store on a full disk: it can only be read.
private struct FullStore: KeyValueStore {
  let store: MemoryKeyValueStore
  init(_ store: MemoryKeyValueStore) { self.store = store }
  func get(_ key: String, in scope: String) throws -> Value? { try store.get(key, in: scope) }
  func all(in scope: String) throws -> [String: Value] { try store.all(in: scope) }
  func apply(_ changes: [KeyValueChange], in scope: String) throws {
    throw ActionError("disk-full", "no space is left", isRetryable: false)
  }
}

/// A clock that a test controls.
private final class Day: Sendable {
  private let now = Mutex(1_700_000_000_000)
  var milliseconds: Int { now.withLock { $0 } }
  func pass(_ duration: Duration) { now.withLock { $0 += duration.nanoseconds / 1_000_000 } }
}

struct `Restored pages` {
  private let store = MemoryKeyValueStore()
  private let day = Day()

  /// Launches the interface and restores its state, by default from `store`. With `failure`, the window cannot be shown
  /// later.
  private func restored(
    _ inputs: ValueObject = [:], failure: (any Error)? = nil, in other: (any KeyValueStore)? = nil
  ) async throws -> (TestHost, [String]) {
    let day = day
    let makeInterface: @Sendable () -> any ApplicationInterface = {
      if let failure { BrokenInterface(failure) } else { HeadlessInterface() }
    }
    let plugin = UserInterfacePlugin(makeInterface: makeInterface, now: { day.milliseconds })
    var handles: [HandleKey: any Sendable] = [.keyValueStore: other ?? store]
    for handle in plugin.handles { handles[handle.key] = handle.handle }
    let host = TestHost(handles: handles)
    _ = try await host.call(LaunchInterface.self)
    let outputs = try await host.call(RestoreInterface.self, with: inputs)
    return (host, outputs["pages"]?.arrayValue?.compactMap(\.stringValue) ?? [])
  }

  /// Launches the interface, restores its state and tries to show the window.
  @discardableResult private func launch(
    _ inputs: ValueObject = [:], failure: (any Error)? = nil, attempts: Int = 1
  ) async throws -> (pages: [String], host: TestHost) {
    let (host, pages) = try await restored(inputs, failure: failure)
    _ = try await host.call(MakeWindow.self, with: ["tabs": ["map"]])
    for attempt in 1...attempts { _ = try? await host.call(PresentInterface.self, attempt: attempt) }
    return (pages, host)
  }

  private func open(_ page: PageRequest, in host: TestHost) async throws {
    let interface: any ApplicationInterface = host.handle(.userInterface)!
    try await interface.open(page)
  }

  private var saved: String { get throws { JSONText.write(try store.get("state", in: "ui") ?? .null) } }

  @Test func `saves neither pages that are not restorable nor the secret parameters of other pages`() async throws {
    let (_, host) = try await launch()
    try await open(PageRequest(page: "reset", parameters: ["id": "SECRET-1"], isRestorable: false), in: host)
    try await open(
      PageRequest(page: "order", parameters: ["id": 5, "token": "SECRET-2"], secretParameters: ["token"]), in: host)
    #expect(try !saved.contains("SECRET") && !saved.contains("reset"))
    let (next, pages) = try await restored()
    #expect(pages == ["order"])
    let interface: any ApplicationInterface = next.handle(.userInterface)!
    #expect(await interface.state.pages == [PageRequest(page: "order", parameters: ["id": 5])])
  }

  @Test func `restores no pages saved by an older version, which may contain secrets, and removes them`()
    async throws
  {
    try store.put(
      ["tab": "map", "pages": [["page": "reset", "presentation": "push", "parameters": ["token": "SECRET"]]]],
      for: "state", in: "ui")
    #expect(try await restored().1 == [])
    #expect(try !saved.contains("SECRET") && saved.contains(#""tab":"map""#))
  }

  @Test func `restores pages for seven days after they were opened, or for max-age`() async throws {
    try await open(PageRequest(page: "a"), in: try await launch().host)
    day.pass(.seconds(86_400 * 3))
    let second = try await launch()
    #expect(second.pages == ["a"])
    try await open(PageRequest(page: "b"), in: second.host)
    day.pass(.seconds(86_400 * 3 + 86_399))
    #expect(try await launch().pages == ["a", "b"])
    #expect(try await restored(["max-age": "96h"]).1 == ["b"])
    day.pass(.seconds(86_400))
    #expect(try await restored().1 == ["b"])
  }

  @Test func `restores no pages if the clock is more than a minute earlier than at the last launch`() async throws {
    try await open(PageRequest(page: "a"), in: try await launch().host)
    day.pass(.seconds(-59))
    #expect(try await launch().pages == ["a"])
    day.pass(.seconds(-3_600))
    let (host, pages) = try await restored()
    #expect(pages == [])
    #expect(
      host.logs.contains("the page 'a' is not restored: the clock was set back, so its age is not known"))
  }

  @Test func `restores no pages if the clock was set back after a launch in the background`() async throws {
    try await open(PageRequest(page: "a"), in: try await launch().host)
    day.pass(.seconds(86_400 * 6))
    // A launch in the background shows no window.
    #expect(try await restored().1 == ["a"])
    day.pass(.seconds(-86_400 * 5))
    #expect(try await restored().1 == [])
  }

  @Test func `restores no pages if the clock was set back while the page was open`() async throws {
    day.pass(.seconds(86_400 * 6))
    let (_, host) = try await launch()
    try await open(PageRequest(page: "a"), in: host)
    day.pass(.seconds(-86_400 * 5))
    try await open(PageRequest(page: "b"), in: host)
    #expect(try await restored().1 == [])
    // The new time counts from then on.
    try await open(PageRequest(page: "c"), in: try await launch().host)
    #expect(try await launch().pages == ["c"])
  }

  @Test func `restores no pages if several small steps set the clock back by more than a minute`() async throws {
    try await open(PageRequest(page: "a"), in: try await launch().host)
    day.pass(.seconds(-59))
    #expect(try await launch().pages == ["a"])
    day.pass(.seconds(-59))
    #expect(try await launch().pages == [])
  }

  @Test func `restores pages even if the time of the launch cannot be saved`() async throws {
    try await open(PageRequest(page: "a"), in: try await launch().host)
    #expect(try await restored(in: FullStore(store)).1 == ["a"])
  }

  @Test func `restores no pages after two launches that ended before the window was ready`() async throws {
    try await open(PageRequest(page: "a"), in: try await launch().host)
    let failure = ActionError("page-unavailable", "it crashes", isRetryable: false)
    // Several attempts in one launch count as one failure.
    #expect(try await launch(failure: failure, attempts: 3).pages == ["a"])
    #expect(try await launch(failure: failure).pages == ["a"])
    let (host, pages) = try await restored()
    #expect(pages == [])
    #expect(
      host.logLines.contains(
        .init(
          level: .warning, "the page 'a' is not restored: 2 launches with it ended before the window was ready")))
    #expect(try await restored().1 == [])
  }

  @Test func `restores pages after launches that were cancelled or did not try to show a window`() async throws {
    try await open(PageRequest(page: "a"), in: try await launch().host)
    for _ in 0..<3 {
      #expect(try await restored().1 == ["a"])
      #expect(try await launch(failure: CancellationError()).pages == ["a"])
    }
  }

  @Test func `restores pages if each failed launch is followed by one that shows its window`() async throws {
    try await open(PageRequest(page: "a"), in: try await launch().host)
    let failure = ActionError("page-unavailable", "it crashes", isRetryable: false)
    for _ in 0..<3 {
      #expect(try await launch(failure: failure).pages == ["a"])
      #expect(try await launch().pages == ["a"])
    }
  }
}
