import ArgumentParser
import FlowCLI
import FlowCommandKit
import FlowExecutors
import FlowModel
import FlowPluginKit
import FlowSystem

/// `flowrun worker --stdio`: runs steps for a run on another machine. Executors start this command.
struct WorkerCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Runs steps for a run on another machine; internal, started by executors.",
    discussion: """
      Examples:
        flowrun build.yaml --on workers=4
      Speaks the plugin protocol on standard input and output, for all portable actions. It ends, with everything that it \
      started, when standard input ends or when it has not heard from the run for 8 to 10 s.
      """)

  @Flag(help: "Uses standard input and output, the only transport.")
  var stdio = false

  @Option(help: .hidden) var watch: Int32?
  @Option(help: .hidden) var silence: Int?
  @Option(help: .hidden) var holder: Int32?
  @Option(help: .hidden) var result: String?

  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    if let watch, let silence {
      try await DetachedThread.run { WorkerWatch.run(worker: watch, silenceMilliseconds: silence, holder: holder) }
      return
    }
    guard stdio else { throw UsageProblem("a worker is started by an executor, with --stdio") }
    let folders = plugins.folders.map(FilePath.absolute)
    let worker = Worker(program: OwnProgram.path, result: result) { workflowFolder in
      let installation = try Installation(around: workflowFolder + "/workflow.yaml", given: folders)
      return Worker.Actions(
        registry: installation.registry, digest: installation.digest, close: { await installation.close() })
    }
    try await worker.serve()
    ExitStatus.success.exit()
  }
}
