import FlowModel
import FlowPluginKit
import Synchronization

/// Creates the interface of each run.
struct InterfaceFactory: Sendable {
  static let key: HandleKey = "interface-factory"

  let make: @Sendable () async -> any ApplicationInterface
  /// The milliseconds since 1970.
  let now: @Sendable () -> Int
}

/// The interface of one run and the state shared by its steps.
final class InterfaceSession: Sendable {
  static let key: HandleKey = "interface-session"

  let interface: any ApplicationInterface

  private struct Splash {
    var isHidden = false
    var waiters: [@Sendable () -> Void] = []
  }

  /// The milliseconds since 1970.
  let now: @Sendable () -> Int

  private let splash = Mutex(Splash())
  private let savedState = Mutex<InterfaceKeeper?>(nil)

  init(_ interface: any ApplicationInterface, now: @escaping @Sendable () -> Int) {
    self.interface = interface
    self.now = now
  }

  /// Saves the state of the interface; nil before `ui.restore`.
  var keeper: InterfaceKeeper? {
    get { savedState.withLock { $0 } }
    set { savedState.withLock { $0 = newValue } }
  }

  /// True if the window has replaced the splash.
  var isSplashHidden: Bool { splash.withLock { $0.isHidden } }

  /// Calls `handler` once the splash is hidden, at once if it already is.
  func whenSplashIsHidden(_ handler: @escaping @Sendable () -> Void) {
    let isHidden = splash.withLock { splash in
      if !splash.isHidden { splash.waiters.append(handler) }
      return splash.isHidden
    }
    if isHidden { handler() }
  }

  /// Marks the splash as replaced by the window.
  func hideSplash() {
    let waiters = splash.withLock { splash in
      splash.isHidden = true
      defer { splash.waiters = [] }
      return splash.waiters
    }
    for waiter in waiters { waiter() }
  }
}
