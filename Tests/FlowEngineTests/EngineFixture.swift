import BasicsPlugin
import FlowModel
import FlowPluginKit
import Foundation
import Synchronization
import Testing

@testable import FlowEngine

extension RunOptions {
  /// Options for runs whose data folder does not matter. It belongs to this process, which removes it at its end: a
  /// shared folder may contain files of another user.
  static var ofTest: RunOptions { RunOptions(dataFolder: folder, workflowFolder: folder) }

  private static let folder: String = {
    try? FileManager.default.createDirectory(atPath: folderOfThisProcess, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(atPath: folderOfThisProcess) }
    return folderOfThisProcess
  }()
}

private let folderOfThisProcess = FileManager.default.temporaryDirectory.path + "/flowrun-engine-tests-\(getpid())"

/// Runs workflows built in code on the real engine, each in its own data folder.
struct EngineFixture {
  var workflow: Workflow
  var plugins: [any Plugin] = [BasicsPlugin(), ProbePlugin()]
  var change: (inout RunOptions) -> Void = { _ in }

  /// Threads as on Apple's systems. Tests that start the program use those of this system.
  private static let threads = PoolThreads(start: BareThread.start, queues: PoolQueues())

  init(_ steps: [Step], gate: GateDeadline? = nil) {
    workflow = Workflow(name: "test", steps: steps)
    workflow.gate = gate
  }

  func start() throws -> WorkflowRun {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "flowrun-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var options = RunOptions(dataFolder: folder.path, workflowFolder: folder.path)
    // Threads may be suspended for seconds, so a body that ends late must not be abandoned.
    options.graceNanoseconds = 60_000_000_000
    options.lastCallsNanoseconds = 45_000_000_000
    options.threads = Self.threads
    change(&options)
    return try Engine(plugins: plugins).start(WorkflowGraph(workflow), options: options)
  }

  func run() async throws -> RunReport {
    let run = try start()
    let report = await run.report
    try? FileManager.default.removeItem(atPath: run.run.dataFolder)
    return report
  }
}

extension Step {
  /// Creates a step from its id and action. `needs` contains indices of the list that the step will be in.
  init(
    _ id: String, _ uses: String = "flow.noop", with: ValueObject = [:], needs: [StepIndex] = [],
    _ change: (inout StepOptions) -> Void = { _ in }
  ) {
    var options = StepOptions()
    change(&options)
    self.init(id: StepID(unchecked: id), uses: uses, with: with, needs: ArraySlice(needs), options: options)
  }
}

extension StepOptions {
  /// Sets the option that `number` selects. Does nothing if the number is greater than 6.
  mutating func makeSpecial(_ number: Int) {
    switch number {
    case 0: deferral = .idle
    case 1: deferral = .afterGate
    case 2: deadline = StepDeadline(max: .seconds(9))
    case 3: enabled = .literal(false)
    case 4: condition = "success()"
    case 5...6: blocking = false
    default: break
    }
  }
}

extension RunReport {
  /// Returns the step with this id, which must exist.
  subscript(_ id: String) -> Step { steps.first { $0.id.text == id }! }
}

/// A door that blocks the threads of steps until a test opens it.
final class Door: Sendable {
  private let isOpen = Atomic(false)
  let waiting = Atomic(0)

  func open() { isOpen.store(true, ordering: .releasing) }

  /// Blocks the thread until the door is open, but for at most a minute, so that a failing test ends.
  func waitHere() {
    waiting.add(1, ordering: .relaxed)
    let limit = ContinuousClock.now + .seconds(60)
    while !isOpen.load(ordering: .acquiring), ContinuousClock.now < limit { usleepBriefly() }
  }

  private func usleepBriefly() {
    var time = timespec(tv_sec: 0, tv_nsec: 1_000_000)
    nanosleep(&time, nil)
  }
}

extension HandleKey {
  static let door: HandleKey = "door"
  static let diary: HandleKey = "diary"
}

/// A record of what the steps of a test did, in order.
final class Diary: Sendable {
  private let lines = Mutex<[String]>([])
  func write(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
  var count: Int { lines.withLock { $0.count } }
  /// The number of times each line was written.
  var counts: [String: Int] { all.reduce(into: [:]) { $0[$1, default: 0] += 1 } }
}

/// Actions that tests observe and control.
struct ProbePlugin: Plugin {
  static let name = "probe"
  var door = Door()
  var diary = Diary()
  var actions: [any ActionType.Type] {
    [
      Hold.self, Note.self, Write.self, Provide.self, Serve.self, Radio.self, Cleanup.self, WaitOnce.self,
      FailTwice.self, Moment.self, Spin.self,
    ]
  }
  var handles: [PluginHandle] {
    [PluginHandle(.door, door), PluginHandle(.diary, diary)]
  }

  /// Blocks its thread and ignores cancellation until the test opens the door.
  struct Hold: Action {
    static let name = "probe.hold"
    static let summary = "Occupies a thread until the test lets go"
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
      let door: Door = try context.handle(.door)
      door.waitHere()
      return NoOutput()
    }
  }

  /// Writes the id of its step into the diary.
  struct Note: Action {
    static let name = "probe.note"
    static let summary = "Notes that it ran"
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
      let diary: Diary = try context.handle(.diary)
      diary.write(context.stepID.text)
      return NoOutput()
    }
  }

  /// Writes its input into the diary.
  struct Write: Action {
    static let name = "probe.write"
    static let summary = "Notes a text"
    struct Input: ActionInput {
      @Field("What to write") var text: String
    }
    func run(_ input: Input, in context: ActionContext) throws -> NoOutput {
      let diary: Diary = try context.handle(.diary)
      diary.write(input.text)
      return NoOutput()
    }
  }

  /// Provides the handle that its input names, and records when the handle is closed.
  struct Provide: Action {
    static let name = "probe.provide"
    static let summary = "Provides a handle"
    struct Input: ActionInput {
      @Field("The handle's key") var key: String
    }
    func run(_ input: Input, in context: ActionContext) throws -> NoOutput {
      let diary: Diary = try context.handle(.diary)
      let line = "closed \(input.key)"
      context.provide(HandleKey(input.key), input.key, close: { diary.write(line) })
      return NoOutput()
    }
  }

  /// Computes for about 5 ms.
  struct Spin: Action {
    static let name = "probe.spin"
    static let summary = "Computes for about 5 ms"
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
      let end = ContinuousClock.now + .microseconds(Int.random(in: 4_950...5_030))
      while ContinuousClock.now < end {}
      return NoOutput()
    }
  }

  /// Reports that it is ready, and runs until it is asked to stop.
  struct Serve: StepService {
    static let name = "probe.serve"
    static let summary = "Serves until it is stopped"
    struct Output: ActionOutput { var port: Int }
    func run(_ input: NoInput, in context: ActionContext) async throws -> Output {
      let diary: Diary = try context.handle(.diary)
      context.ready(Output(port: 7))
      do {
        try await context.sleep(for: .seconds(60))
      } catch {
        diary.write("stopped")
      }
      return Output(port: 7)
    }
  }

  /// A service that reports that it is ready, and posts the event that its input names 20 ms later.
  struct Radio: StepService, DetailedAction {
    static let name = "probe.radio"
    static let summary = "Posts an event some time after it is ready"
    static let eventFromInput: String? = "event"
    struct Input: ActionInput {
      @Field("The event to post") var event: String
    }
    func run(_ input: Input, in context: ActionContext) async throws -> NoOutput {
      context.ready(NoOutput())
      try await context.sleep(for: .milliseconds(20))
      try context.post(input.event)
      try? await context.sleep(for: .seconds(60))
      return NoOutput()
    }
  }

  /// Waits until it is asked to end.
  struct Cleanup: AsyncAction {
    static let name = "probe.wait"
    static let summary = "Waits to be cancelled"
    func run(_ input: NoInput, in context: ActionContext) async throws -> NoOutput {
      try await context.sleep(for: .seconds(60))
      return NoOutput()
    }
  }

  /// In its first attempt, waits until it is asked to end. Records each attempt and the cancellation.
  struct WaitOnce: AsyncAction {
    static let name = "probe.wait-once"
    static let summary = "Waits to be cancelled, once"
    func run(_ input: NoInput, in context: ActionContext) async throws -> NoOutput {
      let diary: Diary = try context.handle(.diary)
      diary.write("\(context.stepID.text) \(context.attempt)")
      guard context.attempt == 1 else { return NoOutput() }
      do {
        try await context.sleep(for: .seconds(60))
      } catch {
        diary.write("\(context.stepID.text) ended")
        throw error
      }
      return NoOutput()
    }
  }

  /// Ends at once, or after a yield if the number in its step's id is even. The first attempt fails if the number is a
  /// multiple of 3.
  struct Moment: AsyncAction {
    static let name = "probe.moment"
    static let summary = "Ends at once or a moment later"
    func run(_ input: NoInput, in context: ActionContext) async throws -> NoOutput {
      let diary: Diary = try context.handle(.diary)
      let number = Int(context.stepID.text) ?? 0
      if number % 2 == 0 { await Task.yield() }
      diary.write("\(number) \(context.attempt)")
      if number % 3 == 0, context.attempt == 1 { throw ActionError("flaky", "once") }
      return NoOutput()
    }
  }

  /// Fails in its first two attempts.
  struct FailTwice: Action {
    static let name = "probe.fail-twice"
    static let summary = "Fails twice"
    static let errors = [ErrorDeclaration("final", "Never worth another attempt", isRetryable: false)]
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
      if context.attempt < 3 { throw ActionError("flaky", "try \(context.attempt)") }
      return NoOutput()
    }
  }
}
