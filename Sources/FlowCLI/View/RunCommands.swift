import FlowStore
import FlowSystem

/// Commands that show or resume the newest run of a workflow, for use in the working folder.
struct RunCommands {
  /// The options that select the run store; empty if it belongs to the working folder.
  private let place: String

  /// Creates the commands for a run of a file. Its store may have an address.
  init(file: String, store: String?) {
    if let store {
      place = " --store " + Self.word(StoreAddress.masked(store))
    } else {
      let (folder, here) = (FilePath.folder(of: FilePath.normalized(file)), FilePath.normalized("."))
      place =
        folder.utf8.elementsEqual(here.utf8)
        ? "" : " --in " + Self.word(FilePath.path(of: folder, below: here) ?? folder)
    }
  }

  /// Shows the output of one step.
  func logs(ofStep step: String) -> String { "flowrun logs last --step \(Self.word(step))\(place)" }
  /// Shows the output of failed steps.
  var logsOfFailed: String { "flowrun logs last --failed\(place)" }
  /// Resumes the run.
  var resume: String { "flowrun resume last\(place)" }

  /// Quotes a text as one word of a shell.
  private static func word(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || "-_./:@=+".contains($0) }
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
