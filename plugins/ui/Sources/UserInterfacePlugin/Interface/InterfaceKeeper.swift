import FlowModel
import FlowPluginKit
import Synchronization

/// Saves the state of an interface for the next launch, and decides which parts a launch restores.
///
/// A page is not restored if it is too old, or if its age is unknown because the clock was set back. It is not restored
/// either if two launches with it ended before their window was ready, because it may be the cause. The parts of a page
/// that must not be on disk are never passed to the store.
final class InterfaceKeeper: Sendable {
  /// A saved page and its history.
  struct Page {
    var request: PageRequest
    var openedAtMilliseconds: Int
    /// The number of consecutive launches that restored the page but ended while they were showing the window.
    var failedLaunches = 0
  }

  /// A saved page that is not restored, with the reason.
  struct Dropped {
    var page: String
    var reason: String
    var isSuspect = false
  }

  /// The saved state, as far as a launch restores it.
  struct Restored {
    /// The state to restore, or nil if none was saved or it cannot be read.
    var state: InterfaceState?
    var isUnreadable = false
    var dropped: [Dropped] = []
  }

  private struct Contents {
    var tab: String?
    var pages: [Page] = []
    var isPresenting = false
    /// The latest time in the saved state or in this launch. A clock that was set back does not make it earlier.
    var latestMilliseconds = 0
  }

  /// The number of failed launches after which a page is no longer restored.
  static let failureLimit = 2
  /// The maximum difference in milliseconds between the time of the last save and an earlier current time. If the
  /// difference is larger, the clock was set back.
  static let clockToleranceMilliseconds = 60_000

  private static let scope = "ui"
  private static let stateKey = "state"
  private static let version = 2

  private let store: any KeyValueStore
  private let now: @Sendable () -> Int
  /// The lock is held during each write, so that an older state never overwrites a newer one.
  private let contents = Mutex(Contents())

  init(_ store: any KeyValueStore, now: @escaping @Sendable () -> Int) {
    self.store = store
    self.now = now
  }

  /// Reads the state of the last launch. Pages that are not restored are removed from the store immediately.
  func restore(maxAgeMilliseconds: Int) throws -> Restored {
    guard let saved = try store.get(Self.stateKey, in: Self.scope) else { return Restored() }
    let object = saved.objectValue ?? [:]
    let version = object["version"]?.integerValue ?? 1
    guard version <= Self.version, let state = InterfaceState(saved) else { return Restored(isUnreadable: true) }
    let hasFailed = object["presenting"]?.booleanValue ?? false
    let savedAt = object["saved-at"]?.integerValue ?? 0
    let isSetBack = savedAt - now() > Self.clockToleranceMilliseconds
    // After a small step back, the later time is used, so that repeated steps do not keep a page young.
    let time = isSetBack ? now() : max(now(), savedAt)
    var dropped: [Dropped] = []
    var pages: [Page] = []
    for (request, entry) in zip(state.pages, object["pages"]?.arrayValue ?? []) {
      let entry = entry.objectValue ?? [:]
      let failures = (entry["failed-launches"]?.integerValue ?? 0) + (hasFailed ? 1 : 0)
      func drop(_ reason: String, isSuspect: Bool = false) {
        dropped.append(Dropped(page: request.page, reason: reason, isSuspect: isSuspect))
      }
      guard let openedAt = entry["opened-at"]?.integerValue else {
        drop("an older version of flowrun saved it")
        continue
      }
      if failures >= Self.failureLimit {
        drop("\(failures) launches with it ended before the window was ready", isSuspect: true)
      } else if isSetBack {
        drop("the clock was set back, so its age is not known")
      } else if time - openedAt >= maxAgeMilliseconds {
        drop("it is older than \(Duration.milliseconds(maxAgeMilliseconds).value.stringValue ?? "allowed")")
      } else {
        pages.append(Page(request: request, openedAtMilliseconds: openedAt, failedLaunches: failures))
      }
    }
    try contents.withLock { contents in
      contents.tab = state.tab
      contents.pages = pages
      contents.latestMilliseconds = time
      if hasFailed || !dropped.isEmpty { try write(&contents) }
    }
    return Restored(state: InterfaceState(tab: state.tab, pages: pages.map(\.request)), dropped: dropped)
  }

  /// Records the time of this launch, so that a later launch notices if the clock is set back. A launch that shows no
  /// window saves nothing else. Nothing is recorded if there are no pages.
  func recordTime() throws {
    try contents.withLock { contents in
      if !contents.pages.isEmpty { try write(&contents) }
    }
  }

  /// Saves the current state of the interface, without pages and parameters that must not be saved.
  func save(_ state: InterfaceState) throws {
    try contents.withLock { contents in
      let time = latest(&contents)
      var known = Dictionary(grouping: contents.pages, by: \.request)
      contents.tab = state.tab
      contents.pages = state.pages.compactMap(\.saved).map { request in
        guard let page = known[request]?.first else { return Page(request: request, openedAtMilliseconds: time) }
        known[request]?.removeFirst()
        return page
      }
      try write(&contents)
    }
  }

  /// Records that the window is about to be shown. If the process ends before ``endPresenting(isReady:)`` is called,
  /// the launch counts as failed for all restored pages. Nothing is recorded if there are none.
  func beginPresenting() throws {
    try contents.withLock { contents in
      contents.isPresenting = true
      if !contents.pages.isEmpty { try write(&contents) }
    }
  }

  /// Records that the window is visible or, if `isReady` is false, that the launch was cancelled.
  func endPresenting(isReady: Bool) throws {
    try contents.withLock { contents in
      contents.isPresenting = false
      if isReady { for index in contents.pages.indices { contents.pages[index].failedLaunches = 0 } }
      if !contents.pages.isEmpty { try write(&contents) }
    }
  }

  /// Returns the current time, or the latest known one if that is later.
  private func latest(_ contents: inout Contents) -> Int {
    contents.latestMilliseconds = max(contents.latestMilliseconds, now())
    return contents.latestMilliseconds
  }

  private func write(_ contents: inout Contents) throws {
    let pages = contents.pages.map { page -> Value in
      var object = page.request.value
      object["opened-at"] = .integer(page.openedAtMilliseconds)
      if page.failedLaunches > 0 { object["failed-launches"] = .integer(page.failedLaunches) }
      return .object(object)
    }
    var object: ValueObject = [
      "version": .integer(Self.version), "saved-at": .integer(latest(&contents)),
      "tab": contents.tab.map(Value.string) ?? .null,
      "pages": .array(pages),
    ]
    if contents.isPresenting { object["presenting"] = true }
    try store.put(.object(object), for: Self.stateKey, in: Self.scope)
  }
}
