import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowPluginKit
import FlowStore
import FlowStoreSQLite
import FlowSystem

/// A run whose record was copied with its folder. It belongs to the folder in which it was recorded.
struct CopiedRun {
  /// The run in the store of the copy.
  let run: StoredRun
  /// The folder that the run belongs to.
  let original: String
  /// The folder of the copy.
  let copy: String

  /// Returns nil if the run belongs to the folder of its store. That is also true in a moved folder: then the recorded
  /// path does not exist or its store does not have this run.
  init?(_ run: StoredRun) {
    let (recorded, own) = (FilePath.folder(of: run.recordedFile), FilePath.folder(of: run.file))
    guard recorded != own else { return nil }
    self.run = run
    original = FilePath.normalized(recorded)
    copy = FilePath.normalized(own)
    guard FilePath.isFolder(original), !FilePath.isSame(original, copy), RunFolders.hasRuns(original) else {
      return nil
    }
    // A store that cannot be read may have the run.
    let found = Result { try RunMemory.openStore(in: original, readOnly: true).run(run.id) }
    if case .success(nil) = found { return nil }
  }

  /// The error for a request to the run from the copy.
  var question: RunProblem {
    RunProblem(
      "run \(RunReference.short(run.id)) belongs to '\(original)', and '\(copy)' has a copy of its record; name that folder "
        + "with --in")
  }

  /// The error for resuming the run in the copy.
  var refusal: InvalidWorkflow {
    let text =
      "run \(RunReference.short(run.id)) belongs to '\(original)', and '\(copy)' has a copy of its record; resume it there, or "
      + "write --here to continue in the copy as another run"
    return InvalidWorkflow(description: "flowrun: \(TerminalText.visible(text))\n")
  }

  /// Prints the id under which the copy continues, and a warning if both runs use the same data folder.
  func explain(_ own: StoredRun, _ resume: PreparedResume) {
    let data = resume.plan.header.dataFolder
    let isShared = !data.utf8.starts(with: (FilePath.folder(of: own.file) + "/").utf8)
    let text =
      "run \(RunReference.short(run.id)) belongs to '\(original)'; it continues here as run \(RunReference.short(own.id))"
      + (isShared ? ", and both use the data folder '\(data)'" : "")
    StandardOutput.writeError("flowrun: \(TerminalText.visible(text))\n")
  }

  /// Records the run again in the store of the copy under a new id, and returns it.
  func split(in store: any RunStore) throws -> StoredRun {
    var own = run
    own.id = RunInformation.newID()
    own.startedMilliseconds = WallTime.now
    let (definition, chunks) = (try store.definition(of: run.id), try store.chunks(of: run.id))
    // The paths of the run are still those of the original.
    own.file = run.recordedFile
    try store.keep(own, definition: definition, chunks: chunks)
    guard let stored = try store.run(own.id) else { throw StoreProblem.unknown(run: own.id) }
    return stored
  }
}
