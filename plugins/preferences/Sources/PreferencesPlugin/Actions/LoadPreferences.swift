import FlowModel
import FlowPluginKit

/// Loads all saved preferences, and reports those that are invalid (L29).
struct LoadPreferences: Action {
  static let name = "preferences.load"
  static let summary = "Loads everything the user has chosen"
  static let requires: [HandleKey] = [.keyValueStore]
  static let example = """
    uses: preferences.load
    needs: open-store
    """

  struct Output: ActionOutput {
    var entries: ValueObject
    var count: Int

    static let summaries = ["entries": "The usable preferences by key, sorted", "count": "How many there are"]
  }

  func run(_ input: NoInput, in context: ActionContext) throws -> Output {
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    var entries = ValueObject()
    for (key, value) in try store.all(in: ManagerRoster.scope).sorted(by: { $0.key < $1.key }) {
      if let problem = PreferenceRule.problem(with: value, for: key) {
        context.log("the saved preference '\(key)' cannot be used: \(problem)", level: .warning)
      } else {
        entries[key] = value
      }
    }
    return Output(entries: entries, count: entries.count)
  }
}
