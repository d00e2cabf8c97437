import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowModel
import FlowSystem

/// `flowrun export FILE` writes the parts of a workflow that another engine can run, in that engine's format.
struct ExportCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes a workflow for another engine: Argo Workflows or Slurm.",
    discussion: """
      Exports commands (run, shell.run) with their dependencies, variables, limits and attempts. Everything else is skipped \
      with a reason on standard error; the exit code is then 4.
      Examples:
        flowrun export build.yaml --format slurm > build.sh
        flowrun export build.yaml --format argo --image debian:12 > build.json
      """)

  /// The engines for which a workflow can be exported.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case argo, slurm
  }

  @Argument(help: ArgumentHelp("The workflow file.", valueName: "FILE"), completion: Completions.files)
  var file: String

  @Option(help: ArgumentHelp("argo (a Workflow as JSON) or slurm (a script of sbatch commands).", valueName: "FORMAT"))
  var format: Format

  @Option(help: ArgumentHelp("The container image of the steps; for argo.", valueName: "IMAGE"))
  var image: String?

  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    guard format == .argo || image == nil else { throw UsageProblem("--image is for --format argo") }
    let graph = try LoadedWorkflow.load(file, try Installation(around: file, given: plugins.folders))
    let exported = ExportedWorkflow(graph, folder: FilePath.folder(of: FilePath.absolute(file)))
    switch format {
    case _ where exported.steps.isEmpty:
      StandardOutput.writeError("flowrun: nothing of '\(exported.name)' can be translated\n")
    case .slurm: StandardOutput.write(exported.slurmScript)
    case .argo:
      StandardOutput.write(json: exported.argo(image: image ?? "debian:stable-slim"), layout: .indented)
    }
    let omissions = exported.omissions + (format == .argo ? exported.argoOmissions : [])
    if omissions.isEmpty { return }
    for omission in omissions {
      StandardOutput.writeError("flowrun: \(TerminalText.visible(omission))\n")
    }
    ExitStatus.incomplete.exit()
  }
}
