import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowSyntax
import FlowSystem

/// The words of a command line that select a workflow file and steps in it.
struct StepWords {
  let file: String
  let steps: [String]
  /// True if the command line does not name a file, so that `flowrun.yaml` is used.
  let isFound: Bool

  /// Treats the first word as a file if it looks like a file name or names an existing file, and otherwise as a step of
  /// `flowrun.yaml`.
  init(_ first: String?, _ others: [String]) throws(UsageProblem) {
    if let first, Self.isFileName(first) || FileAccess.isRegular(first) {
      (file, steps, isFound) = (first, others, false)
      return
    }
    guard let found = try DefaultWorkflow.find() else {
      throw UsageProblem(
        first.map { "'\($0)' is neither a subcommand nor a file, and there is no \(DefaultWorkflow.name) here" }
          ?? "name a workflow file; there is no \(DefaultWorkflow.name) here")
    }
    guard let first else {
      throw UsageProblem("name a step of \(found), or the file to run all steps; 'flowrun' alone lists them")
    }
    (file, steps, isFound) = (found, [first] + others, true)
  }

  /// True if a word looks like the path of a workflow file. The file need not exist.
  static func isFileName(_ word: String) -> Bool {
    word.utf8.contains(UInt8(ascii: "/")) || word.hasSuffix(".yaml") || word.hasSuffix(".yml")
  }

  // MARK: The arguments of the process

  /// The options of `run` that do not have a value.
  static let flags: Set<String> = [
    "--json", "--quiet", "--verbose", "--strict", "--durable", "--no-history", "--no-needs", "--explain", "--watch",
    "--help", "-h", "--version",
  ]

  /// The hidden option with one of the words after `--`, which are passed to steps.
  static let argumentOption = "argument-of-steps"

  /// Prepares the arguments for the argument parser. A `--` before the first word means that the word is not a
  /// subcommand: `flowrun -- sync` becomes `flowrun run sync`. The words after another `--` are passed to steps.
  static func normalized(_ arguments: [String]) -> [String] {
    guard let terminator = arguments.firstIndex(of: "--"), let first = arguments.first,
      !first.hasPrefix("---"), first == "run" || !(subcommands + ["help"]).contains(first)
    else { return arguments }
    let isNamed = first == "run"
    var index = isNamed ? 1 : 0
    while index < terminator, arguments[index].utf8.first == UInt8(ascii: "-") {
      index += flags.contains(arguments[index]) || arguments[index].utf8.contains(UInt8(ascii: "=")) ? 1 : 2
    }
    let (before, after) = (Array(arguments[..<terminator]), arguments[(terminator + 1)...])
    guard index >= terminator else { return before + after.map { "--\(argumentOption)=\($0)" } }
    let words = (isNamed ? [] : ["run"]) + before + after.prefix { $0 != "--" }
    return words + after.drop { $0 != "--" }.dropFirst().map { "--\(argumentOption)=\($0)" }
  }

  // MARK: Steps

  /// Returns the selected steps, or nil if the command line names none. Throws a usage error for an unknown step.
  static func selection(_ request: RunRequest, _ workflow: Workflow) throws(UsageProblem) -> StepSelection? {
    guard !request.steps.isEmpty else {
      if request.leavesOutNeeds { throw UsageProblem("--no-needs belongs to named steps; name one") }
      return nil
    }
    let names = workflow.steps.map(\.id.text).filter { !$0.hasSuffix("/") }
    let known = Set(names)
    for step in request.steps where !known.contains(step) {
      if let item = StepID(unchecked: step).item, known.contains(item.step.text) {
        throw UsageProblem("'\(step)' is an item; name the whole step, '\(item.step.text)'")
      }
      throw UsageProblem(unknown(step, names, request))
    }
    return StepSelection(request.steps, includesNeeds: !request.leavesOutNeeds)
  }

  private static func unknown(_ step: String, _ names: [String], _ request: RunRequest) -> String {
    let text = "'\(step)' is not a step of \(request.file)"
    if step.utf8.contains(UInt8(ascii: "=")) { return text + "; did you mean '-i \(step)'?" }
    let isFirst = request.isFound && step == request.steps[0]
    if request.isFound, !isFirst, isFileName(step) || FileAccess.isRegular(step) {
      return text + "; a file comes before its steps, as in 'flowrun \(step) \(request.steps[0])'"
    }
    let question =
      NearestName.question(step, among: names)
      ?? (isFirst && step != "list" ? MisspeltSubcommand.form(of: step, file: request.file) : nil)
      ?? (isFirst ? NearestName.question(step, among: subcommands + ["help"]) : nil)
    let all = request.isFound ? "'flowrun' alone" : "'flowrun graph \(request.file)'"
    return text + "; " + (question ?? "\(all) lists the steps")
  }

  static var subcommands: [String] {
    FlowCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
  }

  // MARK: Completion

  /// Proposes workflow files and steps of `flowrun.yaml` as the first word.
  static let first = CompletionKind.custom { _, _, typed in
    Completions.files(at: typed) + ids(in: try? DefaultWorkflow.find())
  }

  /// Proposes the steps of the file that the command line names, or of `flowrun.yaml`.
  static let steps = CompletionKind.custom { words, _, _ in
    let file = words.dropFirst().first { isFileName($0) || $0 != "run" && FileAccess.isRegular($0) }
    return ids(in: file ?? (try? DefaultWorkflow.find()))
  }

  /// Returns the ids of the steps in a file. They are read from its text alone, without loading plugins.
  private static func ids(in file: String?) -> [String] {
    guard let file, let bytes = try? FileAccess.read(file), let overview = StepOverview(bytes, file: file) else {
      return []
    }
    return overview.steps.map(\.id) + overview.finalSteps
  }
}
