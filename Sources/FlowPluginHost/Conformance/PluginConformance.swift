import FlowModel
import FlowPluginKit

/// Checks the requirements that every plugin must meet, whether compiled in or external.
///
/// ```swift
/// let findings = await PluginConformance(StoragePlugin(), cases: cases, in: folder).check()
/// #expect(findings.isEmpty)
/// ```
///
/// The declarations are checked first. Then each action is called with invalid inputs and with the inputs of the cases:
/// once alone, several times concurrently, and once with cancellation. Every call has a time limit.
public struct PluginConformance: Sendable {
  let name: String
  let actions: [RegisteredAction]
  let cases: [PluginCase]
  /// An existing folder in which actions write files.
  let folder: String
  /// An existing folder from which actions read files.
  let sourceFolder: String
  /// The time limit of a call that is not cancelled.
  let callDeadline: Duration
  /// The time within which a cancelled call must end.
  let grace: Duration
  /// Starts the plugin's program if it has one. Returns the error if it does not start.
  let start: @Sendable () async -> ActionError?

  /// Creates a check of a compiled-in plugin.
  public init(_ plugin: some Plugin, cases: [PluginCase] = [], in folder: String = "/") {
    self.init(
      name: type(of: plugin).name, actions: plugin.actions.map { RegisteredAction($0) }, cases: cases, in: folder)
  }

  /// Creates a check of an external plugin whose program is run by `host`. Relative paths are resolved against `folder`
  /// for writing and against the plugin's folder for reading.
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

  /// A violation of a rule, and the place where it was found.
  public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// The violated rule.
    public var rule: Rule
    /// The name of the action or input, or the number of the case.
    public var place: String
    /// A description of the violation.
    public var message: String
    /// The place, the message and the rule on one line.
    public var description: String { "\(place): \(message) [\(rule.rawValue)]" }
  }

  /// The rules that plugins must follow, in the order in which they are checked.
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

    /// The requirement of the rule, as a sentence without a period.
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

    /// Advice on how to follow the rule.
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

  /// Checks all rules in order and returns the violations. If the program does not start, no action is called.
  public func check() async -> [Finding] {
    var findings: [Finding] = []
    for rule in Rule.allCases {
      let found = await check(rule)
      findings += found
      if rule == .start, !found.isEmpty { break }
    }
    return findings
  }

  /// Checks one rule and returns its violations.
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
