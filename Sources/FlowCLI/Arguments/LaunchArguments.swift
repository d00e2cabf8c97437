import FlowCommandKit
import FlowDiagnostics
import FlowModel

/// Reads the options `--launch REASON[=@OPTIONS.json]` and `--event NAME@DELAY[=JSON]`, and options with a duration.
package enum LaunchArguments {
  /// Returns the launch that `argument` describes, or a launch by a user if it is nil. Properties that do not exist for
  /// this launch reason are absent (R14).
  package static func launch(_ argument: String?) throws(UsageProblem) -> Launch {
    guard let argument else { return Launch() }
    let (name, file) = argument.parted(at: "=")
    guard let reason = LaunchReason(rawValue: name) else {
      let reasons = LaunchReason.allCases.map(\.rawValue)
      let nearest = NearestName.of(name, among: reasons).map { "; did you mean '\($0)'?" } ?? ""
      throw UsageProblem(
        "--launch '\(name)': expected one of \(reasons.joined(separator: ", "))\(nearest)")
    }
    guard let file else { return Launch(reason: reason) }
    guard let path = file.pathAfterAt else {
      throw UsageProblem("--launch '\(argument)': write --launch \(reason.rawValue)=@OPTIONS.json")
    }
    return Launch(reason: reason, options: try options(path))
  }

  private static func options(_ path: String) throws(UsageProblem) -> ValueObject {
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try FileAccess.read(path)
    } catch {
      throw UsageProblem("--launch: cannot read \(error)")
    }
    let value: Value
    do throws(JSONProblem) {
      value = try JSONText.parse(bytes)
    } catch {
      throw UsageProblem("--launch: \(path):\(error)")
    }
    guard case .object(let options) = value else {
      throw UsageProblem("--launch: '\(path)' must hold a JSON object, not \(value.shortText)")
    }
    return options
  }

  /// Returns the name of an event, its delay from the start of the run, and its value. Throws a usage error if the
  /// workflow does not have the event, or does not allow the value.
  package static func event(
    _ argument: String, of workflow: Workflow, _ catalog: some ActionCatalog
  ) throws(UsageProblem) -> (name: String, delay: Duration, value: Value) {
    guard case (let name, let rest?) = argument.parted(at: "@"), !name.isEmpty else {
      throw UsageProblem("--event '\(argument)': write --event NAME@DELAY, such as map.first-use@9s")
    }
    let known = events(of: workflow, catalog)
    guard known.contains(where: { $0.hasSameBytes(as: name) }) else {
      let nearest = NearestName.of(name, among: known.sorted()).map { "; did you mean '\($0)'?" } ?? ""
      let names = known.sorted().map { "'\($0)'" }.joined(separator: ", ")
      throw UsageProblem("--event '\(name)': this workflow has no such event\(nearest); it knows \(names)")
    }
    let (time, text) = rest.parted(at: "=")
    let delay = try duration(time, of: "--event '\(name)@\(time)'")
    var value = Value.null
    if let text { value = try json(text, of: "--event \(name)@\(time)") }
    var rules = EventValueRules(workflow)
    for action in Set(workflow.steps.map(\.uses)).compactMap({ catalog.declaration(named: $0) }) { rules.add(action) }
    if let problem = rules.problem(fromOutside: value, of: name) { throw UsageProblem("--event: \(problem)") }
    return (name, delay, value)
  }

  /// Parses the value of an event, which is written as JSON.
  static func json(_ text: String, of option: String) throws(UsageProblem) -> Value {
    do throws(JSONProblem) {
      return try JSONText.parse(text)
    } catch {
      // A word without quotes is usually meant as a string.
      let isWord = text.first.map { $0.isLetter || $0 == "_" || $0 == "/" } ?? false
      let help = isWord ? "; write a text in double quotes" : ""
      throw UsageProblem("\(option): the value is not JSON: \(error)\(help)")
    }
  }

  /// Returns the events of a workflow: those that it declares, those that its actions post or follow, and the lifecycle
  /// events of an app.
  static func events(of workflow: Workflow, _ catalog: some ActionCatalog) -> Set<String> {
    var known = Set(workflow.events.map(\.name) + LifecycleEvent.allCases.map(\.rawValue))
    for step in workflow.steps {
      guard let declaration = catalog.declaration(named: step.uses) else { continue }
      known.formUnion(declaration.eventsPosted(with: step.with) + declaration.follows)
    }
    return known
  }

  static func duration(_ text: String, of option: String) throws(UsageProblem) -> Duration {
    do throws(DurationText.DurationProblem) {
      return try DurationText.parse(text)
    } catch {
      throw UsageProblem("\(option): \(error.help)")
    }
  }
}
