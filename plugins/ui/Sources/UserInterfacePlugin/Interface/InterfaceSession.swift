import FlowModel
import FlowPluginKit
import Synchronization

/// Creates the interface of each run, and provides the time.
struct InterfaceFactory: Sendable {
  static let key: HandleKey = "interface-factory"

  let make: @Sendable () async -> any ApplicationInterface
  /// Returns the milliseconds since 1970.
  let now: @Sendable () -> Int
}

/// The interface of one run, and the state that the steps of the run share.
final class InterfaceSession: Sendable {
  static let key: HandleKey = "interface-session"

  let interface: any ApplicationInterface

  private struct Splash {
    var isHidden = false
    var waiters: [@Sendable () -> Void] = []
  }

  /// Returns the milliseconds since 1970.
  let now: @Sendable () -> Int

  private let splash = Mutex(Splash())
  private let savedState = Mutex<InterfaceKeeper?>(nil)

  init(_ interface: any ApplicationInterface, now: @escaping @Sendable () -> Int) {
    self.interface = interface
    self.now = now
  }

  /// The object that saves the state of the interface. Nil until the state has been restored.
  var keeper: InterfaceKeeper? {
    get { savedState.withLock { $0 } }
    set { savedState.withLock { $0 = newValue } }
  }

  /// True if the window has replaced the splash.
  var isSplashHidden: Bool { splash.withLock { $0.isHidden } }

  /// Calls `handler` once the window has replaced the splash. If that has already happened, calls it immediately.
  func whenSplashIsHidden(_ handler: @escaping @Sendable () -> Void) {
    let isHidden = splash.withLock { splash in
      if !splash.isHidden { splash.waiters.append(handler) }
      return splash.isHidden
    }
    if isHidden { handler() }
  }

  /// Marks the splash as replaced by the window and calls the waiting handlers.
  func hideSplash() {
    let waiters = splash.withLock { splash in
      splash.isHidden = true
      defer { splash.waiters = [] }
      return splash.waiters
    }
    for waiter in waiters { waiter() }
  }
}
