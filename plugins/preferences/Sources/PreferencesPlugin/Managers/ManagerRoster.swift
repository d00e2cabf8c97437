import FlowModel
import FlowPluginKit
import Synchronization

/// One part of what the user has chosen, loaded once in a run however many steps ask for it (L16).
protocol Manager: Sendable {
  /// The key under which its preference is kept.
  static var preference: String { get }

  /// Loads the saved preference.
  init(saved: Value?)

  /// Takes over a preference that a step has just saved; nil: removed.
  func update(saved: Value?)
}

/// The managers of the runs of one engine: each is made by the first step that asks and dropped when its run ends.
final class ManagerRoster: Sendable {
  /// Where the plugin keeps its roster.
  static let key: HandleKey = "preference-managers"

  /// The scope of the store that holds the preferences.
  static let scope = "preferences"

  /// The managers of one run, each behind a lock of its own: loading one does not delay another.
  private final class RunManagers: Sendable {
    let account = Mutex<AccountManager?>(nil)
    let language = Mutex<LanguageManager?>(nil)
    let brandColor = Mutex<BrandColorManager?>(nil)
    let appearance = Mutex<AppearanceManager?>(nil)
  }

  private let runs = Mutex<[String: RunManagers]>([:])

  /// The number of runs that have managers.
  var runCount: Int { runs.withLock { $0.count } }

  static func account(in context: ActionContext) throws -> AccountManager {
    try manager(in: context) { try $0.account.withLock { try load(&$0, context) } }
  }

  static func language(in context: ActionContext) throws -> LanguageManager {
    try manager(in: context) { try $0.language.withLock { try load(&$0, context) } }
  }

  static func brandColor(in context: ActionContext) throws -> BrandColorManager {
    try manager(in: context) { try $0.brandColor.withLock { try load(&$0, context) } }
  }

  static func appearance(in context: ActionContext) throws -> AppearanceManager {
    try manager(in: context) { try $0.appearance.withLock { try load(&$0, context) } }
  }

  /// Tells the manager of `preference`, if it is loaded, what was saved.
  static func preferenceChanged(_ preference: String, to value: Value?, in context: ActionContext) throws {
    let roster: ManagerRoster = try context.handle(key)
    guard let managers = roster.runs.withLock({ $0[context.run.id] }) else { return }
    switch preference {
    case AccountManager.preference: managers.account.withLock { $0?.update(saved: value) }
    case LanguageManager.preference: managers.language.withLock { $0?.update(saved: value) }
    case BrandColorManager.preference: managers.brandColor.withLock { $0?.update(saved: value) }
    case AppearanceManager.preference: managers.appearance.withLock { $0?.update(saved: value) }
    default: break
    }
  }

  private static func manager<M: Manager>(
    in context: ActionContext, _ find: (RunManagers) throws -> M
  ) throws -> M {
    let roster: ManagerRoster = try context.handle(key)
    let run = context.run.id
    let (managers, isNew) = roster.runs.withLock { runs in
      if let managers = runs[run] { return (managers, false) }
      let managers = RunManagers()
      runs[run] = managers
      return (managers, true)
    }
    if isNew { context.provide(runKey, managers) { roster.runs.withLock { $0[run] = nil } } }
    return try find(managers)
  }

  /// The handle that ends with the run.
  static let runKey: HandleKey = "managers"

  private static func load<M: Manager>(_ slot: inout M?, _ context: ActionContext) throws -> M {
    if let manager = slot { return manager }
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    let manager = M(saved: try store.get(M.preference, in: scope))
    slot = manager
    return manager
  }
}
