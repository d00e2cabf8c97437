import FlowCommandKit
import FlowSystem

/// `flowrun run FILE --watch`: a run, and another one after each change of what it reads.
///
/// Each run has a process of its own, as a run takes its process for itself: signals, exit code, standard output. It ends
/// with this one, however this one ends.
struct RunWatch {
  private let request: RunRequest
  private let program: Program

  /// How many runs may follow one another because files changed while the one before continued: steps that write what others
  /// read would have it continue forever.
  private static let followersLimit = 3

  /// `arguments` are those of this process; throws a ``UsageProblem`` for what cannot be run twice.
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

  /// Runs and waits in turn until a signal comes or the output has no reader.
  func perform() async -> Never {
    var files: WatchedFiles?
    var followers = 0
    while true {
      let watched = WatchedFiles(of: request, before: files)
      files = watched
      // What is saved while the run continues is seen afterwards.
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

  /// One run, to its end; a signal that comes meanwhile is passed on to it, and ends the process with it. Returns whether it kept
  /// its services until a file changed.
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

  /// Says what it waits for; next to JSON on standard error.
  private func tell(_ text: String) {
    if request.isJSON { StandardOutput.writeError(text + "\n") } else { StandardOutput.write(text + "\n") }
  }
}
