import FlowModel
import FlowPluginKit

extension InstalledPlugin {
  /// Returns an error if the program's answer to `initialize` contradicts the manifest, or nil if they agree.
  func disagreement(with greeting: Value) -> ActionError? {
    guard let greeting = greeting.objectValue else {
      return disagreement("answered 'initialize' with \(greeting.shortText) instead of its name, version and actions")
    }
    if let problem = disagreement("name", stated: greeting["name"], declared: name) { return problem }
    if let problem = disagreement("version", stated: greeting["version"], declared: manifest.version) { return problem }
    guard let stated = greeting["actions"]?.arrayValue?.map(\.stringValue) else {
      return disagreement("did not list its actions in its answer to 'initialize'")
    }
    let declared = Set(manifest.actions.map(\.declaration.name))
    let known = Set(stated.compactMap { $0 })
    if let extra = known.subtracting(declared).min() {
      return disagreement("lists the action '\(extra)', which its manifest does not declare")
    }
    if let missing = declared.subtracting(known).min() {
      return disagreement("does not list the action '\(missing)', which its manifest declares")
    }
    return nil
  }

  private func disagreement(_ key: String, stated: Value?, declared: String) -> ActionError? {
    if stated?.stringValue == declared { return nil }
    return disagreement("states the \(key) \(stated?.shortText ?? "nothing"), its manifest \"\(declared)\"")
  }

  private func disagreement(_ what: String) -> ActionError {
    ActionError(
      "plugin-disagrees", "the program of the plugin '\(name)' \(what) (\(origin))", isRetryable: false)
  }
}
