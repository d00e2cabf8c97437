import FlowCommandKit
import FlowDiagnostics
import FlowPluginKit

enum ActionName {
  /// Returns the action with this name. If there is none, throws a usage error that suggests a similar name.
  static func find(_ name: String, in registry: ActionRegistry) throws(UsageProblem) -> RegisteredAction {
    if let action = registry.action(named: name) { return action }
    if let new = registry.newName(of: name) { throw UsageProblem("'\(name)' is now '\(new)'; write that name") }
    let names = registry.declarations.map(\.name)
    if registry.plugins.contains(where: { $0.name == name }) {
      let actions = names.filter { $0.hasPrefix(name + ".") }
      throw UsageProblem("'\(name)' is a plugin; its actions are \(actions.joined(separator: ", "))")
    }
    let plugins = name.contains(Character(".")) ? [] : registry.plugins.map(\.name)
    let nearest = NearestName.question(name, among: names + plugins) ?? "flowrun plugins lists what there is"
    throw UsageProblem("no action '\(name)' is installed; \(nearest)")
  }
}
