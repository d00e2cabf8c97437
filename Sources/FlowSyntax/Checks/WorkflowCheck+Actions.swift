import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// Reports steps whose `uses` is neither an installed action nor a file.
  mutating func checkActions() {
    guard actions.entries.contains(where: { $0.declaration == nil }) else { return }
    for step in workflow.steps.indices {
      guard let entry = actions.entry(ofStep: step), entry.declaration == nil else { continue }
      if IncludeLibrary.isFile(entry.name) { continue }
      if isSettled { return }
      if reportMoved(entry.name, "step '\(name(step))' uses", at: span(.uses, of: step)) { continue }
      report(
        .unknownAction, "step '\(name(step))' uses '\(entry.name)', which is not an installed action",
        at: span(.uses, of: step), correction: actionCorrection(entry.name), otherwise: actionHelp(entry.name))
    }
  }

  /// Reports the use of an action that has been renamed. Returns false if it has not been renamed.
  mutating func reportMoved(_ action: String, _ what: String, at location: TextSpan) -> Bool {
    guard let new = catalog.newName(of: action) else { return false }
    report(
      .unknownAction, "\(what) '\(action)', which is now '\(new)'", at: location, help: "write '\(new)'",
      correction: Correction(action, to: new))
    return true
  }

  /// Returns the installed action whose name is most similar to `name`, or nil if none is similar.
  func actionCorrection(_ name: String) -> Correction? { Correction(name, among: catalog.declarations.map(\.name)) }

  /// Returns help for an unknown action that resembles no installed one: the actions of its plugin or, if the plugin is
  /// not installed, the installed plugins.
  func actionHelp(_ name: String) -> String {
    let installed = catalog.declarations
    let plugin = name.prefix { $0 != "." }
    let actions = installed.filter { $0.pluginName == plugin }.map { "'\($0.name)'" }
    if !actions.isEmpty { return "the plugin '\(plugin)' has \(actions.joined(separator: ", "))" }
    let plugins = Set(installed.map(\.pluginName)).sorted()
    return "the installed plugins are \(plugins.map { "'\($0)'" }.joined(separator: ", ")); see flowrun plugins"
  }
}
