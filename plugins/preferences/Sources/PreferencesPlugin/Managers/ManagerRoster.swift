import FlowModel
import FlowPluginKit
import Synchronization

/// Provides one preference of the user. It is loaded once per run, regardless of the number of steps that use it (L16).
protocol Manager: Sendable {
  /// The key of the preference in the store.
  static var preference: String { get }

  /// Creates a manager with the saved value, or nil if there is none.
  init(saved: Value?)

  /// Updates the value after a step has saved it, or has removed it if `saved` is nil.
  func update(saved: Value?)
}

/// The managers of all runs of an engine. The first step that uses a manager creates it, and it is removed at the end
/// of the run.
final class ManagerRoster: Sendable {
  /// The handle through which steps reach the managers.
  static let key: HandleKey = "preference-managers"

  /// The scope of the preferences in the store.
  static let scope = "preferences"

  /// The managers of one run. Each has its own lock, so that loading one does not delay the others.
  private final class RunManagers: Sendable {
    let account = Mutex<AccountManager?>(nil)
    let language = Mutex<LanguageManager?>(nil)
    let brandColor = Mutex<BrandColorManager?>(nil)
    let appearance = Mutex<AppearanceManager?>(nil)
  }

  private let runs = Mutex<[String: RunManagers]>([:])

  /// The number of runs that currently have managers.
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

  /// Passes a saved value to the manager of its preference if the manager has been loaded.
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

  /// The key of a handle that removes the run's managers when it is released at the end of the run.
  static let runKey: HandleKey = "managers"

  private static func load<M: Manager>(_ slot: inout M?, _ context: ActionContext) throws -> M {
    if let manager = slot { return manager }
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    let manager = M(saved: try store.get(M.preference, in: scope))
    slot = manager
    return manager
  }
}
