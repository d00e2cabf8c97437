import FlowModel
import FlowPluginKit
import StorageCore

/// Writes the templates for new trips, once per store (R6).
struct InstallTemplates: Action {
  static let name = "footprint.install-templates"
  static let summary = "Writes the template trips that a person can start from and change, once for each store"
  static let requires: [HandleKey] = [.keyValueStore]
  static let errors = StoreFailure.whenOpen
  static let example = """
    uses: footprint.install-templates
    needs: open-store
    """

  /// The scope of the templates. It also contains a marker, which prevents deleted templates from being written again.
  private static let scope = "templates"
  private static let marker = "#installed"

  struct Output: ActionOutput {
    var installed: Int
    var templates: [String]

    static let summaries = [
      "installed": "How many this step wrote; 0 when they had been written before",
      "templates": "The names of the existing templates",
    ]
  }

  func run(_ input: NoInput, in context: ActionContext) throws -> Output {
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    var installed = 0
    if try store.get(Self.marker, in: Self.scope) == nil {
      // The templates and the marker are written in one transaction. If the process is killed, either all or none are
      // stored.
      let templates = SampleData.templates.map { KeyValueChange.put(key: $0.name, value: $0.value) }
      try store.apply(
        templates + [.put(key: Self.marker, value: .integer(SampleData.version))], in: Self.scope)
      installed = SampleData.templates.count
      context.log("installed \(installed) templates")
    }
    let names = try store.all(in: Self.scope).keys.filter { $0 != Self.marker }
    return Output(installed: installed, templates: names.sorted())
  }
}
