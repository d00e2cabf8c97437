import FlowModel
import FlowPluginKit

/// What every plugin owes those who use it, compiled in or external, as one suite.
///
/// ```swift
/// let findings = await PluginConformance(StoragePlugin(), cases: cases, in: folder).check()
/// #expect(findings.isEmpty)
/// ```
///
/// The declarations are checked by themselves; then each action is called with inputs that do not fit, and with those of
/// the cases: once alone, several times at once, and cancelled. Every call has a deadline.
public struct PluginConformance: Sendable {
  /// The plugin's name.
  let name: String
  /// Its actions, in the order they are reported.
  let actions: [RegisteredAction]
  /// The calls that show what it does.
  let cases: [PluginCase]
  /// A folder that exists, for what the actions write.
  let folder: String
  /// A folder that exists, for what the actions read.
  let sourceFolder: String
  /// How long a call may take.
  let callDeadline: Duration
  /// How long a cancelled call may take.
  let grace: Duration
  /// Starts what the plugin runs in, and says why that cannot be done.
  let start: @Sendable () async -> ActionError?

  /// A check of a compiled-in plugin.
  public init(_ plugin: some Plugin, cases: [PluginCase] = [], in folder: String = "/") {
    self.init(
      name: type(of: plugin).name, actions: plugin.actions.map { RegisteredAction($0) }, cases: cases, in: folder)
  }

  /// A check of an external plugin, whose program `host` runs; relative paths are resolved against `folder` where an action
  /// writes and against the plugin's own where it reads.
  public init(
    _ plugin: InstalledPlugin, on host: PluginHost, cases: [PluginCase], in folder: String,
    callDeadline: Duration = .seconds(10)
  ) {
    self.init(
      name: plugin.name, actions: host.actions(of: plugin), cases: cases, in: folder, reading: plugin.folder,
      callDeadline: callDeadline, start: { await host.start(plugin) })
  }

  private init(
    name: String, actions: [RegisteredAction], cases: [PluginCase], in folder: String,
    reading sourceFolder: String? = nil, callDeadline: Duration = .seconds(10), grace: Duration = .seconds(2),
    start: @escaping @Sendable () async -> ActionError? = { nil }
  ) {
    self.name = name
    self.actions = actions
    self.cases = cases
    self.folder = folder
    self.sourceFolder = sourceFolder ?? folder
    self.callDeadline = callDeadline
    self.grace = grace
    self.start = start
  }

  /// A rule that a plugin broke.
  public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// Which rule.
    public var rule: Rule
    /// The action, the input or the case.
    public var place: String
    /// What was seen.
    public var message: String
    /// Place, message and rule.
    public var description: String { "\(place): \(message) [\(rule.rawValue)]" }
  }

  /// The rules, in the order in which they are checked.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    case names
    case summaries
    case defaults
    case errors
    case example
    case literals = "literal-check"
    case start
    case unfitInputs = "unfit-inputs"
    case cases
    case overlap
    case cancel

    /// What the plugin owes, as a sentence without a full stop.
    public var title: String {
      switch self {
      case .names: "names are plugin.action and name: lower case, with hyphens, each once"
      case .summaries: "every action and every input has a description"
      case .defaults: "every default fits its type"
      case .errors: "every error has a unique code and a summary"
      case .example: "the example is a step that uses the action and gives its required inputs"
      case .literals: "the check of literal inputs names existing inputs and accepts any literal"
      case .start: "the program starts, answers 'initialize' within 10 s and matches the manifest"
      case .unfitInputs: "invalid inputs are rejected with the name of the input"
      case .cases: "every case gives the expected result within 10 s, with the declared outputs, errors and events"
      case .overlap: "the cases give the same results when called at the same time"
      case .cancel: "a cancelled call ends within 2 s"
      }
    }

    /// What to do about it.
    public var remedy: String {
      switch self {
      case .names: "rename it: shout.text, not Shout.Text"
      case .summaries: "add 'summary' to the action, 'description' to the input"
      case .defaults: "change the default or the type"
      case .errors: "give each error a code such as no-such-file and a summary"
      case .example: "begin it with 'uses:' and the action's name"
      case .literals: "name a declared input, and accept literals of every type"
      case .start: "start it by hand with the command of plugin.yaml and read its output"
      case .unfitInputs: "declare the type; the conversion then rejects invalid values"
      case .cases: "fix the action, its declaration or the case"
      case .overlap: "keep the state of a call in the call, not in shared variables"
      case .cancel: "check for cancellation while working, or use waits that a cancellation ends"
      }
    }
  }

  /// Everything that was found, in the order of the rules. A program that does not start is not called.
  public func check() async -> [Finding] {
    var findings: [Finding] = []
    for rule in Rule.allCases {
      let found = await check(rule)
      findings += found
      if rule == .start, !found.isEmpty { break }
    }
    return findings
  }

  /// What is found against one rule.
  public func check(_ rule: Rule) async -> [Finding] {
    var findings: [Finding] = []
    for (place, message) in await problems(rule) {
      findings.append(Finding(rule: rule, place: place, message: message))
    }
    return findings
  }

  private func problems(_ rule: Rule) async -> [(place: String, message: String)] {
    switch rule {
    case .names: nameProblems()
    case .summaries: summaryProblems()
    case .defaults: defaultProblems()
    case .errors: errorProblems()
    case .example: exampleProblems()
    case .literals: literalProblems()
    case .start: await startProblems()
    case .unfitInputs: await unfitInputProblems()
    case .cases: await caseProblems()
    case .overlap: await overlapProblems()
    case .cancel: await cancelProblems()
    }
  }
}
