import ArgumentParser
import FlowCLI
import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowInsight
import FlowModel
import FlowPluginKit
import FlowStore
import FlowSystem

/// Finds the runs that an argument names: a report, a folder of reports, or a recorded run.
package struct RunSources {
  let place: RunPlace
  let plugins: PluginArguments

  /// The maximum number of runs that are loaded.
  static let limit = 1_000

  func runs(_ word: String) throws -> [ReportedRun] {
    if FileAccess.isRegular(word) { return [try Self.report(word)] }
    if FilePath.exists(word), Self.isFolder(word) {
      let files = try FolderFiles.reports(in: word)
      guard !files.isEmpty else { throw UsageProblem("there is no report, *.json, in '\(word)'") }
      guard files.count <= Self.limit else {
        throw UsageProblem("there are \(files.count) reports in '\(word)'; the limit is \(Self.limit)")
      }
      let runs = try files.compactMap(Self.wholeReport)
      guard !runs.isEmpty else { throw UsageProblem("the reports in '\(word)' are of runs of some steps alone") }
      return runs
    }
    // The argument looks like a path, so the error is about a missing file.
    if word.contains(Character("/")) || word.hasSuffix(".json") {
      throw FileProblem(path: word, cause: "there is no such file")
    }
    let recorded = try HistoryRun(word, in: place, plugins)
    if let selection = recorded.recollection.header.selection {
      throw Self.ofPart(selection.steps, "run \(RunReference.short(recorded.run.id))")
    }
    return [Self.run(recorded, try Installation(around: recorded.run.file, given: plugins.folders))]
  }

  /// Returns the run in a report. Throws a usage error if only selected steps ran, because their times differ from
  /// those of the whole workflow.
  static func report(_ path: String) throws -> ReportedRun {
    let value = try json(path)
    let selected = value.objectValue?["selected"]?.arrayValue?.compactMap(\.stringValue) ?? []
    guard selected.isEmpty else { throw ofPart(selected, "the run in '\(path)'") }
    return try run(value, path)
  }

  /// Returns the run in a report from a folder, or nil if only selected steps ran.
  private static func wholeReport(_ path: String) throws -> ReportedRun? {
    let value = try json(path)
    return value.objectValue?["selected"] == nil ? try run(value, path) : nil
  }

  private static func ofPart(_ steps: [String], _ subject: String) -> UsageProblem {
    UsageProblem("\(subject) was one of \(steps.joined(separator: ", ")) alone; name a run of all steps")
  }

  private static func json(_ path: String) throws -> Value {
    let bytes = try FileAccess.read(path)
    do {
      return try JSONText.parse(bytes)
    } catch {
      throw FileProblem(path: path, cause: "\(error)")
    }
  }

  private static func run(_ value: Value, _ path: String) throws -> ReportedRun {
    do throws(ReportedRun.ReportProblem) {
      return try ReportedRun(value)
    } catch {
      throw FileProblem(path: path, cause: error.description)
    }
  }

  /// Returns the report of a recorded run. If the run is running or was interrupted, the report contains its unfinished
  /// steps. Journals of earlier versions do not contain the step that posted an event. If only one step can have posted
  /// it, the report names that step.
  package static func run(_ recorded: HistoryRun, _ installation: Installation) -> ReportedRun {
    var run = ReportedRun(recorded.report)
    let steps = recorded.graph.workflow.steps
    if recorded.run.state == .interrupted || recorded.run.state == .running {
      let open = recorded.recollection.openSteps(of: recorded.graph, in: recorded.chunks)
      let starts = Dictionary(uniqueKeysWithValues: open.map { (Int($0.key), $0.value) })
      if recorded.run.state == .running {
        run.noteStarts(starts)
      } else {
        run.noteInterrupted(starts, until: recorded.recollection.lastInstant(in: recorded.chunks))
      }
    }
    guard !recorded.recollection.knowsPosters else { return run }
    run.inferPosters { index in
      installation.registry.action(named: steps[index].uses)?.declaration.eventsPosted(with: steps[index].with) ?? []
    }
    return run
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the recorded runs of a workflow, or those whose reports are in a file or folder. Recorded runs are omitted
  /// if they have not finished, were cancelled or resumed, ran only selected steps, or are damaged.
  func history(
    of graph: WorkflowGraph, file: String, in word: String, _ installation: Installation
  ) throws -> [ReportedRun] {
    if FileAccess.isRegular(word) { return [try Self.report(word)] }
    let store: any RunStore
    if word.firstRange(of: "://") != nil {
      store = try RunMemory.open(address: word, option: "--from")
    } else {
      guard FilePath.exists(word) else { throw FileProblem(path: word, cause: "there is no such file or folder") }
      guard FilePath.exists(RunMemory.path(in: RunMemory.folder(of: word))) else { return try runs(word) }
      store = try RunMemory.open(word)
    }
    var filter = RunFilter()
    filter.file = FilePath.absolute(file)
    filter.limit = Self.limit
    filter.states = [.success, .partial, .failure]
    var runs: [ReportedRun] = []
    for run in try store.runs(filter) where run.epoch == 1 && RunHeader(run.header)?.selection == nil {
      do {
        runs.append(Self.run(try HistoryRun(run, store, installation), installation))
      } catch let problem as StoreProblem {
        guard case .damaged(_, let cause) = problem else { throw problem }
        StandardOutput.writeError(
          "flowrun: run \(RunReference.short(run.id)) is left out: \(TerminalText.visible(cause))\n")
      }
    }
    return runs
  }
}

enum FolderFiles {
  static func reports(in folder: String) throws(FileProblem) -> [String] {
    guard let names = FilePath.names(in: folder) else { throw FileProblem(path: folder) }
    return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }
  }
}
