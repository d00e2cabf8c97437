import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowPluginKit
import FlowStore
import FlowSystem

/// A run that was copied together with its folder. It belongs to the folder where it was recorded.
struct CopiedRun {
  /// The run as the store in the copied folder contains it.
  let run: StoredRun
  /// The path of the folder where the run was recorded.
  let original: String
  let copy: String

  /// Returns nil if the run belongs to the folder of its store. This is also the case if the folder has been moved:
  /// there is no store at the recorded path any more, or that store does not contain the run.
  init?(_ run: StoredRun) {
    let (recorded, own) = (FilePath.folder(of: run.recordedFile), FilePath.folder(of: run.file))
    guard recorded != own else { return nil }
    self.run = run
    original = FilePath.normalized(recorded)
    copy = FilePath.normalized(own)
    guard FilePath.isFolder(original), !FilePath.isSame(original, copy), RunFolders.hasRuns(original) else {
      return nil
    }
    // If the store at the recorded path cannot be read, it is assumed to contain the run.
    let found = Result { try RunMemory.openStore(in: original, readOnly: true).run(run.id) }
    if case .success(nil) = found { return nil }
  }

  /// The error for a request that names the copied folder rather than the one to which the run belongs.
  var question: RunProblem {
    RunProblem(
      "run \(RunReference.short(run.id)) belongs to '\(original)', and '\(copy)' has a copy of its record; name that folder "
        + "with --in")
  }

  /// The error for an attempt to resume the run in the copied folder without `--here`.
  var refusal: InvalidWorkflow {
    let text =
      "run \(RunReference.short(run.id)) belongs to '\(original)', and '\(copy)' has a copy of its record; resume it there, or "
      + "write --here to continue in the copy as another run"
    return InvalidWorkflow(description: "flowrun: \(TerminalText.visible(text))\n")
  }

  /// Prints the run's new id in the copied folder, and warns if both runs use the same data folder.
  func explain(_ own: StoredRun, _ resume: PreparedResume) {
    let data = resume.plan.header.dataFolder
    let isShared = !data.utf8.starts(with: (FilePath.folder(of: own.file) + "/").utf8)
    let text =
      "run \(RunReference.short(run.id)) belongs to '\(original)'; it continues here as run \(RunReference.short(own.id))"
      + (isShared ? ", and both use the data folder '\(data)'" : "")
    StandardOutput.writeError("flowrun: \(TerminalText.visible(text))\n")
  }

  /// Adds the run to the store of the copied folder under a new id. Returns the added run.
  func split(in store: any RunStore) throws -> StoredRun {
    var own = run
    own.id = RunInformation.newID()
    own.startedMilliseconds = WallTime.now
    let (definition, chunks) = (try store.definition(of: run.id), try store.chunks(of: run.id))
    // The added run keeps the path that the original run has recorded.
    own.file = run.recordedFile
    try store.keep(own, definition: definition, chunks: chunks)
    guard let stored = try store.run(own.id) else { throw StoreProblem.unknown(run: own.id) }
    return stored
  }
}
