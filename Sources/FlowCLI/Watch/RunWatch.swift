import FlowCommandKit
import FlowSystem

/// `flowrun run FILE --watch` runs a workflow, and runs it again after each change to a file that it reads.
///
/// Each run is a separate process, because a run controls the signals, the exit code and the standard output of its
/// process. If this process ends, the run's process ends as well.
struct RunWatch {
  private let request: RunRequest
  private let program: Program

  /// The maximum number of consecutive runs that are started because of changes during the previous run. Without this
  /// limit, a step that writes a file that another step reads would make the workflow run forever.
  private static let followersLimit = 3

  /// Creates a watch. `arguments` are the arguments of this process. Throws a ``UsageProblem`` if an input cannot be
  /// read more than once.
  init(_ request: RunRequest, arguments: [String]) throws(UsageProblem) {
    for input in request.inputs where input.hasSuffix("=@-") || input.hasSuffix("=@/dev/stdin") {
      throw UsageProblem("-i '\(input)': standard input can be read once, and --watch runs again; name a file")
    }
    if FilePath.exists(request.file), !FileAccess.isRegular(request.file) {
      throw UsageProblem("--watch: '\(request.file)' cannot be watched; name a workflow file")
    }
    self.request = request
    let words = arguments.prefix { $0 != "--" }.filter { $0 != "--watch" } + arguments.drop { $0 != "--" }
    program = Program(
      [OwnProgram.path] + words, environment: Environment.all.merging([KeptRunWatch.variable: "1"]) { $1 },
      folder: FilePath.absolute("."))
  }

  /// Runs the workflow after each change, until a signal is received or the reader of standard output has ended.
  func perform() async -> Never {
    var files: WatchedFiles?
    var followers = 0
    while true {
      let watched = WatchedFiles(of: request, before: files)
      files = watched
      // The state of the files is read before the run, so that changes during the run are detected as well.
      var changes = FileWatch(watched)
      let hasEndedForChange = await run()
      if hasEndedForChange {
        followers = 0
      } else if changes.changed() == nil {
        followers = 0
        tell("watching for changes; press Ctrl-C to stop")
      } else if followers < Self.followersLimit {
        followers += 1
      } else {
        followers = 0
        tell("files change during each run; watching for the next change; press Ctrl-C to stop")
        changes = FileWatch(watched)
      }
      guard let cause = await changes.change() else { ExitStatus.outputFailed.exit() }
      tell("\(cause) has changed")
    }
  }

  /// Starts a run and waits until it ends. A signal that is received in the meantime is forwarded to it and then also
  /// ends this process. Returns true if the run only kept its services alive when a changed file ended it.
  private func run() async -> Bool {
    Interrupts.holdForStart()
    do throws(SystemError) {
      let group = try ProcessGroup(program, input: 0, output: 1, errors: 2)
      Interrupts.pass(to: group)
      let ending = try await DetachedThread.run { group.collect() }
      if let signal = Interrupts.endPassing() { ExitStatus.exit(128 + signal) }
      if case .signaled = ending.status { StandardOutput.writeError("flowrun: the run \(ending.status)\n") }
      return ending.status == .exited(code: KeptRunWatch.exitCode)
    } catch {
      StandardOutput.writeError("flowrun: cannot run: \(error)\n")
      ExitStatus.failure.exit()
    }
  }

  /// Prints why this process waits. If standard output is JSON, prints it to standard error.
  private func tell(_ text: String) {
    if request.isJSON { StandardOutput.writeError(text + "\n") } else { StandardOutput.write(text + "\n") }
  }
}
