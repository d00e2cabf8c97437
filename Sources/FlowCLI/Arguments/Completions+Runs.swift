import ArgumentParser
import FlowCommandKit
import FlowModel
import FlowStore
import FlowSyntax

// Completions for recorded runs and for their steps, events and choices.
extension Completions {
  static let runs = runs(words: ["last", "last-failed"]) { _ in true }

  /// The runs that are running. Subcommands that send requests to a run propose these.
  static let runningRuns = runs { $0.state == .running }

  /// The runs that are not running at present.
  static let endedRuns = runs { $0.state != .running }

  /// The runs that can be resumed, and workflow files. `flowrun resume FILE` resumes the newest run of the file.
  static let unfinishedRunsAndFiles = CompletionKind.custom { words, _, typed in
    ids(among: words) { $0.state != .running && $0.state != .success } + files(at: typed)
  }

  static let states = CompletionKind.list(StoredRun.State.allCases.map(\.rawValue))

  /// The steps of the run that the command line names or, if it names none, of the newest run.
  static let steps = CompletionKind.custom { words, _, _ in workflow(ofRunAmong: words)?.steps.map(\.id.text) ?? [] }

  /// The events of the run that the command line names or, if it names none, of the newest run.
  static let eventsOfRun = CompletionKind.custom { words, _, _ in
    workflow(ofRunAmong: words)?.events.map(\.name).sorted() ?? []
  }

  /// The choices of the step that the command line names. Choices that an expression determines are not included.
  static let choices = CompletionKind.custom { words, _, _ in
    let step = workflow(ofRunAmong: words)?.steps.first { words.dropFirst(2).contains($0.id.text) }
    return step?.with["choices"]?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  /// The number of runs that are proposed, starting with the newest.
  private static let runLimit = 50

  private static func runs(
    words proposed: [String] = [], where isMeant: @escaping @Sendable (StoredRun) -> Bool
  ) -> CompletionKind {
    .custom { words, _, _ in
      let found = ids(among: words, where: isMeant)
      return (found.isEmpty ? [] : proposed) + found
    }
  }

  private static func ids(among words: [String], where isMeant: (StoredRun) -> Bool) -> [String] {
    let runs = (try? store(words).runs(RunFilter()))?.filter(isMeant) ?? []
    return runs.prefix(runLimit).map { RunReference.short($0.id) }
  }

  private static func workflow(ofRunAmong words: [String]) -> Workflow? {
    guard let store = try? store(words), let list = try? store.list(RunFilter()) else { return nil }
    let named = words.dropFirst(2).lazy.compactMap { try? RunReference.find($0, in: list) }.first
    guard let run = named ?? list.runs.first, let definition = try? store.definition(of: run.id),
      let catalog = try? Installation(around: run.file, given: []).registry
    else { return nil }
    return WorkflowLoader(catalog: catalog).load(bytes: definition, file: run.file).graph?.workflow
  }

  /// Returns the store that `--store` or `--in` names on the command line. Without these options, returns the store of
  /// the working folder or of the first folder below it in which runs are recorded.
  private static func store(_ words: [String]) throws -> any RunStore {
    func value(of option: String) -> String? {
      if let index = words.lastIndex(of: option), index + 1 < words.count { return words[index + 1] }
      return words.last { $0.hasPrefix("\(option)=") }.map { String($0.dropFirst(option.count + 1)) }
    }
    if let address = value(of: "--store") { return try RunMemory.open(address: address) }
    if let place = value(of: "--in") { return try RunMemory.open(place) }
    return try RunMemory.open(RunFolders.hasRuns(".") ? "." : RunFolders.below(".").first ?? ".")
  }
}
