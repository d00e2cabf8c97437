import FlowModel
import FlowPluginKit
import Synchronization

/// A part of the user's preferences, loaded once per run regardless of the number of steps that use it (L16).
protocol Manager: Sendable {
  /// The key of its preference in the store.
  static var preference: String { get }

  /// Creates a manager with the saved preference.
  init(saved: Value?)

  /// Updates a preference that a step has just saved, or removed if nil.
  func update(saved: Value?)
}

/// The managers of the runs of one engine: each is created by the first step that uses it and removed when its run
/// ends.
final class ManagerRoster: Sendable {
  /// The handle of the plugin's roster.
  static let key: HandleKey = "preference-managers"

  /// The scope of the store that contains the preferences.
  static let scope = "preferences"

  /// The managers of one run. Each has a separate lock, so that loading one does not delay another.
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

  /// Notifies the manager of `preference`, if it is loaded, of the saved value.
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

  /// The handle that is released when the run ends.
  static let runKey: HandleKey = "managers"

  private static func load<M: Manager>(_ slot: inout M?, _ context: ActionContext) throws -> M {
    if let manager = slot { return manager }
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    let manager = M(saved: try store.get(M.preference, in: scope))
    slot = manager
    return manager
  }
}
