import ArgumentParser
import FlowCommandKit

/// `flowrun manual FOLDER` writes the manual pages. It is used to build flowrun's packages.
struct ManualCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Writes the manual pages.", shouldDisplay: false)

  @Argument(help: ArgumentHelp("The folder that they are written to.", valueName: "FOLDER"), completion: .directory)
  var folder: String

  func perform() async throws {
    for page in ManualPage.all() {
      try OutputFile.write(Array(page.text.utf8), to: folder + "/" + page.file)
    }
  }
}
