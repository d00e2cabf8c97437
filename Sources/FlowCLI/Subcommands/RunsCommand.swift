import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowStore
import FlowSystem

/// The options that select a run store.
package struct RunPlace: ParsableArguments {
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp(
      "A workflow file, or a folder of workflows; default: the working folder, or the only folder below with runs.",
      valueName: "PATH"))
  var place: String?

  @Option(
    help: ArgumentHelp(
      "The database that stores the runs, as postgres://USER@HOST/NAME; default: a file next to the workflow.",
      valueName: "URL"))
  var store: String?

  package init() {}

  /// Opens the run store, for writing if `writes` is true. `file` selects the store next to that workflow.
  package func open(file: String? = nil, writes: Bool = false) throws -> any RunStore {
    // If a script passes a variable that is not set, that must not select the runs of the working folder.
    if place?.isEmpty == true { throw UsageProblem("--in is empty; name a workflow file or a folder, or leave it out") }
    if let store { return try RunMemory.open(address: store) }
    return try RunMemory.open(file ?? place ?? Self.found(), writes: writes)
  }

  /// Returns the only folder below the working folder in which runs are recorded. Returns the working folder if runs
  /// are recorded in it or in no folder below it. Throws if there are several such folders.
  private static func found() throws(UsageProblem) -> String {
    guard !RunFolders.hasRuns(".") else { return "." }
    let folders = RunFolders.below(".")
    guard folders.count > 1 else {
      if let folder = folders.first {
        StandardOutput.writeError("flowrun: using the runs in '\(TerminalText.visible(folder))'\n")
      }
      return folders.first ?? "."
    }
    let shown = folders.prefix(5).map { "'\(TerminalText.visible($0))'" }.joined(separator: ", ")
    let more = folders.count > 5 ? " and \(folders.count - 5) more" : ""
    throw UsageProblem(
      "no runs in this folder, but in \(folders.count) folders below it: \(shown)\(more); name one, as in --in \(TerminalText.visible(folders[0]))"
    )
  }
}

/// `flowrun runs` lists runs. Its subcommands show, export, back up and delete recorded runs.
struct RunsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs", abstract: "Lists, shows, exports, backs up and deletes past runs.",
    discussion: """
      Examples:
        flowrun runs build.yaml --state failure --last 7d
        flowrun runs show last --log
        flowrun runs export last-failed
      RUN is a unique prefix or suffix of a run's id, 'last' or 'last-failed'.
      Runs are recorded in .flowrun/runs.sqlite next to their workflow: 200 runs or 90 days per workflow, 256 MiB in all.
      """,
    subcommands: [List.self, Show.self, Export.self, Backup.self, Prune.self, Delete.self], defaultSubcommand: List.self
  )

  /// `flowrun runs list [FILE]` lists runs, the newest first.
  struct List: Subcommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists runs (the default).")

    @Argument(help: ArgumentHelp("Only runs of this workflow file.", valueName: "FILE"), completion: Completions.files)
    var file: String?

    @Option(help: ArgumentHelp("Only runs that started within this time: 7d, 12h.", valueName: "DURATION"))
    var last: String?

    @Option(
      help: ArgumentHelp(
        "Only runs in this state: running, interrupted, success, partial, failure or cancelled.", valueName: "STATE"),
      completion: Completions.states)
    var state: [String] = []

    @Option(help: ArgumentHelp("At most this many.", valueName: "COUNT"))
    var limit = 50

    @Flag(help: "Prints a JSON array.")
    var json = false

    @OptionGroup var place: RunPlace

    func perform() async throws {
      var filter = RunFilter()
      guard limit > 0 else { throw UsageProblem("--limit \(limit): write 1 or more") }
      filter.limit = limit
      if let file {
        filter.file = FilePath.absolute(file)
      }
      if let last { filter.sinceMilliseconds = WallTime.now - (try Self.milliseconds(last)) }
      filter.states = Set(try state.map { text throws(UsageProblem) in try Self.state(text) })
      let store = try place.open(file: file)
      let list = try store.list(filter)
      let runs = list.runs
      tell(list)
      if let file, runs.isEmpty { try checkFile(file, store) }
      let table = RunTable(runs: runs, style: TextStyle(isColored: StandardOutput.allowsColor))
      if json {
        StandardOutput.write(JSONText.write(.array(table.values), layout: .indented) + "\n")
      } else {
        StandardOutput.write(runs.isEmpty ? "no run matches\n" : table.text)
      }
    }

    /// Throws if neither a workflow file with this name nor a run of it exists. The error suggests a similar name that
    /// has runs.
    private func checkFile(_ file: String, _ store: any RunStore) throws {
      guard !FilePath.exists(file) else { return }
      let known = Set(try store.list(RunFilter()).runs.map(\.file))
      guard !known.contains(FilePath.absolute(file)) else { return }
      let names = known.map { $0.split(separator: "/").last.map(String.init) ?? $0 }.sorted()
      let nearest = NearestName.of(file, among: names).map { "; did you mean '\($0)'?" } ?? ""
      throw UsageProblem("there is no file '\(file)', and no run of one\(nearest)")
    }

    /// Prints which runs are damaged and what to do about them.
    private func tell(_ list: RunList) {
      if !list.unreadable.isEmpty {
        let numbers = list.unreadable.prefix(8).map(String.init).joined(separator: ", ")
        let more = list.unreadable.count > 8 ? ", …" : ""
        StandardOutput.writeError(
          "flowrun: a part of the store with at most \(list.unreadable.count) runs cannot be read (by number "
            + "\(numbers)\(more)); the others are listed. The next run moves the damaged store aside and creates a new one\n"
        )
      } else if let flaw = list.flaw {
        StandardOutput.writeError(
          "flowrun: the run store is damaged (\(TerminalText.visible(flaw))), and runs may be missing from this list. "
            + "The next run moves it aside and creates a new one\n")
      }
      let damaged = list.damaged
      guard !damaged.isEmpty else { return }
      let names = damaged.prefix(8).map { TerminalText.visible(RunReference.short($0)) }.joined(separator: ", ")
      let more = damaged.count > 8 ? ", …" : ""
      StandardOutput.writeError(
        "flowrun: \(damaged.count == 1 ? "the record of a run is" : "the records of \(damaged.count) runs are") damaged: "
          + "\(names)\(more); flowrun runs prune deletes \(damaged.count == 1 ? "it" : "them") and keeps the others\n")
    }

    /// Parses a duration that may begin with days, such as `7d` or `1d12h`.
    static func milliseconds(_ text: String) throws(UsageProblem) -> Int {
      var rest = text[...]
      var days = 0
      if let mark = text.firstIndex(of: "d"), let number = Int(text[..<mark]), (0...36_500).contains(number) {
        days = number
        rest = text[text.index(after: mark)...]
        if rest.isEmpty { return days * 86_400_000 }
      }
      do throws(DurationText.DurationProblem) {
        return days * 86_400_000 + (try DurationText.parse(String(rest))).nanoseconds / 1_000_000
      } catch {
        throw UsageProblem("--last '\(text)': write a number with a unit, such as 7d, 12h or 30m")
      }
    }

    private static func state(_ text: String) throws(UsageProblem) -> StoredRun.State {
      if let state = StoredRun.State(rawValue: text) { return state }
      let words = StoredRun.State.allCases.map(\.rawValue)
      let nearest = NearestName.of(text, among: words).map { "; did you mean '\($0)'?" } ?? ""
      throw UsageProblem("--state '\(text)': expected one of \(words.joined(separator: ", "))\(nearest)")
    }
  }

  /// `flowrun runs show RUN` shows a run and its steps.
  struct Show: Subcommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Shows a run and its steps.")

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: Completions.runs)
    var run: String

    @Option(
      help: ArgumentHelp("Only this step, or one item of it ('convert[3]').", valueName: "STEP"),
      completion: Completions.steps)
    var step: String?

    @Flag(help: "Also shows the output of the steps.")
    var log = false

    @Flag(help: "Prints the report as JSON.")
    var json = false

    @OptionGroup var place: RunPlace
    @OptionGroup var plugins: PluginArguments

    func perform() async throws {
      let recorded = try HistoryRun(run, in: place, plugins)
      let step = try step.map { name throws(UsageProblem) in
        try RecordedStep(name, of: recorded.graph.workflow, in: recorded)
      }
      if json {
        var value = recorded.report.value
        if let step {
          var shown = value["steps"]?.objectValue?[step.id] ?? .null
          if let item = step.item, var owner = shown.objectValue {
            owner["items"] = .array(
              (owner["items"]?.arrayValue ?? []).filter { $0.objectValue?["index"] == .integer(item) })
            shown = .object(owner)
          }
          value["steps"] = .object([step.id: shown])
        }
        StandardOutput.write(JSONText.write(.object(value), layout: .indented) + "\n")
      } else {
        let style = TextStyle(isColored: StandardOutput.allowsColor)
        StandardOutput.write(RunPage(recorded: recorded, step: step, style: style).text)
        if log { StandardOutput.write(RunLog(chunks: recorded.chunks, style: style).text(ofStep: step?.name)) }
      }
    }
  }

  /// `flowrun runs export RUN` prints the report of a run, with all steps, as a JSON object.
  struct Export: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Prints a run as JSON, with its inputs and the outputs and printed lines of its steps.")

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: Completions.runs)
    var run: String

    @OptionGroup var place: RunPlace
    @OptionGroup var plugins: PluginArguments

    func perform() async throws {
      let recorded = try HistoryRun(run, in: place, plugins)
      var value = recorded.report.value
      value["inputs"] = .object(recorded.recollection.header.inputs)
      value["stepOutputs"] = .object(recorded.recollection.outputs(of: recorded.graph))
      value["log"] = .array(RunRecollection.lines(in: recorded.chunks).map { .object($0) })
      value["definition"] = .string(String(decoding: recorded.definition, as: UTF8.self))
      StandardOutput.write(JSONText.write(.object(value), layout: .indented) + "\n")
    }
  }

  /// `flowrun runs prune` deletes runs beyond the limits on count, age and size.
  struct Prune: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "prune", abstract: "Deletes runs that are too many, too old or too big; running ones are kept.")

    @Option(help: ArgumentHelp("How many runs of each workflow to keep.", valueName: "COUNT"))
    var keep = RunRetention().runs

    @Option(help: ArgumentHelp("How many days to keep a run.", valueName: "COUNT"))
    var days = RunRetention().days

    @OptionGroup var place: RunPlace
    @OptionGroup var plugins: PluginArguments

    func perform() async throws {
      guard keep >= 0, days >= 0 else { throw UsageProblem("--keep and --days take 0 or more") }
      let store = try place.open(writes: true)
      var retention = RunRetention()
      retention.runs = keep
      retention.days = days
      retention.trustsClock = days != RunRetention().days
      let excess = try retention.excess(in: store, nowMilliseconds: WallTime.now) { run in
        guard let installation = try? Installation(around: run.file, given: plugins.folders) else { return [] }
        return RunRecollection.successes(of: run, in: store) { RunMemory.stepNames(of: $0, run.file, installation) }
      }
      let damaged = try store.list(RunFilter()).damaged
      let count = try store.remove(excess)
      StandardOutput.write(count == 1 ? "1 run was deleted\n" : "\(count) runs were deleted\n")
      let damagedCount = damaged.isEmpty ? 0 : try store.remove(damaged)
      if damagedCount > 0 {
        StandardOutput.write(
          "\(damagedCount == 1 ? "1 damaged run was" : "\(damagedCount) damaged runs were") deleted, too\n")
      }
      try (store as? any FileRunStore)?.compact()
    }
  }

  /// `flowrun runs delete RUN` deletes a run.
  struct Delete: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Deletes a finished run.")

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: Completions.endedRuns)
    var run: String

    @OptionGroup var place: RunPlace

    func perform() async throws {
      let store = try place.open(writes: true)
      let list = try store.list(RunFilter())
      if let damaged = RunReference.damaged(run, in: list) {
        _ = try store.remove([damaged])
        return StandardOutput.write("run \(TerminalText.visible(RunReference.short(damaged))) was deleted\n")
      }
      let stored = try RunReference.find(run, in: list)
      guard stored.state != .running else {
        throw StoreProblem.held(run: RunReference.short(stored.id), by: stored.holder)
      }
      _ = try store.remove([stored.id])
      StandardOutput.write("run \(RunReference.short(stored.id)) was deleted\n")
    }
  }
}
