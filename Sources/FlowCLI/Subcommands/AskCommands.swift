import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowStore
import FlowSystem

/// Sends requests to runs in other processes and waits for replies.
package enum RunQuestion {
  /// The maximum time to wait for a reply. A run checks for requests ten times per second, but the machine or disk can
  /// be busy for seconds.
  private static let waitMilliseconds = 10_000

  /// Sends a request and returns the reply. Throws a ``UsageProblem`` if the run refuses the request, a `StoreProblem`
  /// if there is no such run, and a ``RunProblem`` if the run does not reply.
  @discardableResult
  static func ask(_ name: String, in place: RunPlace, _ question: ValueObject) async throws -> Reply {
    let store = try place.open(writes: true)
    return try await ask(try RunReference.find(name, in: try store.list(RunFilter())), in: store, question)
  }

  package struct Reply {
    /// The short form of the run's id.
    var run: String
    /// False if the event does not repeat and has been posted before, so that this post has no effect.
    var counts = true
    var isSecret = false
  }

  /// Sends a request to a run whose store is open.
  package static func ask(_ found: StoredRun, in store: any RunStore, _ question: ValueObject) async throws -> Reply {
    let short = RunReference.short(found.id)
    guard found.state == .running else {
      if found.state == .interrupted, let copied = CopiedRun(found) { throw copied.question }
      let why =
        found.state == .interrupted ? "its process (\(found.holder)) has died; see flowrun resume" : "it has ended"
      throw RunProblem("run \(short) is not running: \(why)")
    }
    let number = try store.ask(found.id, JSONText.bytes(of: .object(question)))
    for look in 0..<(waitMilliseconds / 10) {
      if let bytes = try store.answer(to: number) {
        let answer = (try? JSONText.parse(bytes))?.objectValue
        if let problem = answer?["problem"]?.stringValue { throw UsageProblem("run \(short): \(problem)") }
        return Reply(run: short, counts: answer?["counts"] != false, isSecret: answer?["secret"] == true)
      }
      // The run may end before it checks for requests.
      if look % 10 == 9, try hasDone(question, found, store) { return Reply(run: short) }
      try await Task.sleep(for: .milliseconds(10))
    }
    // The request is withdrawn. Otherwise, the run could carry it out after this process has reported a failure.
    try store.answer(number, with: [])
    _ = try store.answer(to: number)
    if try hasDone(question, found, store) { return Reply(run: short) }
    throw RunProblem("run \(short) does not answer (\(found.holder))")
  }

  /// Returns true if the run has ended because it was cancelled, as requested. Returns false if it has not ended.
  /// Throws if it ended in another way.
  private static func hasDone(_ question: ValueObject, _ run: StoredRun, _ store: any RunStore) throws -> Bool {
    guard let now = try store.run(run.id), now.state != .running else { return false }
    if now.state == .cancelled, question["ask"]?.stringValue == RunRequestWord.cancel.rawValue { return true }
    let short = RunReference.short(run.id)
    guard now.state != .interrupted else {
      throw RunProblem("run \(short) was interrupted: its process (\(now.holder)) has died; see flowrun resume")
    }
    throw RunProblem("run \(short) has ended meanwhile: \(now.state.rawValue)")
  }
}

/// A problem with a run rather than with the command line. The exit code is 1.
struct RunProblem: CommandProblem, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }

  var message: String { "flowrun: \(TerminalText.visible(description))\n" }
  var status: ExitStatus { .failure }
}

/// `flowrun cancel RUN` cancels a run in another process, like Ctrl-C in its terminal.
struct CancelCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Cancels a run in progress.",
    discussion: """
      Examples:
        flowrun cancel last
        flowrun cancel 8f3a12c0 --in workflows/launch.yaml
      """)

  @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: Completions.runningRuns)
  var run: String

  @OptionGroup var place: RunPlace

  func perform() async throws {
    let run = try await RunQuestion.ask(run, in: place, ["ask": .string(RunRequestWord.cancel.rawValue)]).run
    StandardOutput.write("run \(run) is being cancelled\n")
  }
}

/// `flowrun answer RUN STEP [ANSWER]` answers the question of a step in another process.
struct AnswerCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "answer", abstract: "Answers the question of a step (flow.ask) in a run in progress.",
    discussion: """
      Examples:
        flowrun answer last approve yes
        flowrun answer last notes 'Faster, and fewer crashes'
        flowrun answer last password

      Without an answer, flowrun reads it from the terminal, or from standard input. A secret is always read so, and not shown.
      """)

  @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: Completions.runningRuns)
  var run: String

  @Argument(help: ArgumentHelp("The step that asks.", valueName: "STEP"), completion: Completions.steps)
  var step: String

  @Argument(
    help: ArgumentHelp("One of its choices, or a text if it asks for one.", valueName: "ANSWER"),
    completion: Completions.choices)
  var choice: String?

  @OptionGroup var place: RunPlace

  func perform() async throws {
    let store = try place.open(writes: true)
    let found = try RunReference.find(run, in: try store.list(RunFilter()))
    // The user may have copied the name of an item from the terminal, such as 'ask[0] linux'.
    let step = RecordedStep.item(in: step).map { "\($0.step)[\($0.index)]" } ?? step
    let kind = AskedQuestion.kind(of: step, in: found, store)
    if kind == .secret, choice != nil {
      throw UsageProblem(
        "step '\(step)' asks for a secret; leave it out of the command, and flowrun reads it from the terminal or from standard input"
      )
    }
    if kind == .choice, choice == nil { throw UsageProblem("step '\(step)' asks for a choice; name it after the step") }
    // If the kind of question is unknown, the answer may be a secret, so it is not shown.
    let isHidden = choice == nil && kind != .text
    let answer = try choice ?? AskedQuestion.read(for: step, isHidden: isHidden)
    let run =
      isHidden
      ? try await RunQuestion.answer(found, in: store, step, withSecret: answer)
      : try await RunQuestion.answer(found, in: store, step, with: answer)
    let shown = isHidden ? "" : ": \(TerminalText.visible(answer))"
    StandardOutput.write("step \(TerminalText.visible(step)) of run \(run) has its answer\(shown)\n")
  }
}

/// `flowrun post RUN EVENT` posts an event to a run in another process.
struct PostCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "post", abstract: "Posts an event to a run in progress.",
    discussion: """
      Examples:
        flowrun post last map.first-use
        flowrun post last order.paid --value '{"order": 17}'
        flowrun post last order.paid --value @order.json
      """)

  @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: Completions.runningRuns)
  var run: String

  @Argument(help: ArgumentHelp("The event.", valueName: "EVENT"), completion: Completions.eventsOfRun)
  var event: String

  // A negative number would otherwise be parsed as an option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "What the event is posted with: JSON of at most 64 KiB, @FILE, or @- for standard input.", valueName: "JSON"))
  var value: String?

  @OptionGroup var place: RunPlace

  func perform() async throws {
    if let mark = event.utf8.firstIndex(of: UInt8(ascii: "=")) {
      throw UsageProblem("post '\(event)': write the value as --value, as in 'post RUN \(event[..<mark]) --value JSON'")
    }
    let value = try value.map { try LaunchArguments.json(Self.text($0), of: "--value") }
    let size = value.map { JSONText.bytes(of: $0).count } ?? 0
    if size > Limits.eventValueBytes {
      throw UsageProblem("--value: the value of event '\(event)' is larger than \(Limits.eventValueBytes >> 10) KiB")
    }
    let store = try place.open(writes: true)
    let found = try RunReference.find(run, in: try store.list(RunFilter()))
    let reply = try await RunQuestion.post(event, value: value, to: found, in: store)
    let state = reply.counts ? "is posted" : "was posted before; only its first post counts"
    StandardOutput.write("event \(TerminalText.visible(event)) \(state)\n")
  }

  private static func text(_ value: String) throws -> String {
    guard let named = value.pathAfterAt else { return value }
    let path = named == "-" ? "/dev/stdin" : named
    let bytes: [UInt8]
    do throws(FileProblem) { bytes = try FileAccess.read(path) } catch {
      throw UsageProblem("--value: cannot read \(error)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageProblem("--value: '\(path)' is not UTF-8 text")
    }
    return text
  }
}
