import FlowStore
import FlowSystem

/// The commands that show or resume the newest run in a store, as a user enters them in the current working folder.
struct RunCommands {
  /// The options that select the run store. Empty if it is the store of the working folder.
  private let place: String

  /// Creates the commands for a run of `file`. `store` is the address of the run store. Nil means the store next to the
  /// file.
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

  func logs(ofStep step: String) -> String { "flowrun logs last --step \(Self.word(step))\(place)" }
  var logsOfFailed: String { "flowrun logs last --failed\(place)" }
  var resume: String { "flowrun resume last\(place)" }

  /// Quotes text so that a shell reads it as a single word.
  private static func word(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || "-_./:@=+".contains($0) }
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
