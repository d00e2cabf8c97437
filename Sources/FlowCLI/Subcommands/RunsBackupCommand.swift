import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowStore
import FlowSystem

extension RunsCommand {
  /// `flowrun runs backup FILE` writes a consistent copy of the store, even while runs continue.
  struct Backup: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "backup", abstract: "Copies the recorded runs into a new file, also while runs continue.",
      discussion: """
        To restore the copy, move all files .flowrun/runs.sqlite* away and put it in their place as .flowrun/runs.sqlite.
        """)

    @Argument(help: ArgumentHelp("The new file.", valueName: "FILE"), completion: Completions.files)
    var file: String

    @OptionGroup var place: RunPlace

    func perform() async throws {
      let path = FilePath.absolute(file)
      guard let store = try place.open() as? any FileRunStore else {
        throw UsageProblem("--store: this copies runs in files; back up a database with its own tools, such as pg_dump")
      }
      guard !FilePath.exists(path) else { throw UsageProblem("'\(file)' exists; name a new file") }
      try store.backUp(to: path)
      let count = try store.list(RunFilter()).runs.count
      StandardOutput.write(
        "\(count == 1 ? "1 run was" : "\(count) runs were") copied to '\(TerminalText.visible(path))'\n")
    }
  }
}
