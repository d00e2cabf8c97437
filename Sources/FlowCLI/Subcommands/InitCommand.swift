import ArgumentParser
import FlowCommandKit
import FlowSystem

/// `flowrun init [FILE]` creates an example workflow.
struct InitCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Creates a first workflow that you can run and edit.",
    discussion: """
      It never overwrites a file.
      Examples:
        flowrun init
        flowrun init build.yaml
      """)

  @Argument(
    help: ArgumentHelp("The file to write.", valueName: "FILE"), completion: Completions.files)
  var file = "release.yaml"

  func perform() async throws {
    guard !FilePath.exists(file) else {
      throw UsageProblem("'\(file)' already exists; name another file, such as flowrun init \(unusedName)")
    }
    try OutputFile.create(Array(Self.workflow.utf8), at: file)
    StandardOutput.write("wrote \(file)\n\nRun it:\n  flowrun \(file)\n")
  }

  /// The example workflow, which docs/install.md explains.
  private static let workflow = """
    name: release
    steps:
      test: { run: sleep 0.3 }
      build: { run: sleep 0.1 }
      publish: { run: echo published, needs: [test, build] }

    """

  /// The first name in the sequence `release-2.yaml`, `release-3.yaml`, … that is not in use.
  private var unusedName: String {
    (2...).lazy.map { "release-\($0).yaml" }.first { !FilePath.exists($0) } ?? "FILE"
  }
}
