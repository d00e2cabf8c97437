import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSystem
import Synchronization

/// A process that runs bodies of portable actions for a run in another process. It implements the program's side of the
/// plugin protocol for all of these actions.
///
/// It ends with all of its processes when standard input ends, when its output is no longer read, or when no ping has
/// arrived for too long. Its guard enforces the last rule (``WorkerWatch``).
package final class Worker: Sendable {
  /// The actions that a worker can run.
  package struct Actions: Sendable {
    package var registry: ActionRegistry
    /// Returns the digest of the program that an action uses. The host compares it with that of its own program.
    package var digest: @Sendable (ActionDeclaration) -> String
    /// Ends the programs of plugins that actions have started.
    package var close: @Sendable () async -> Void

    package init(
      registry: ActionRegistry, digest: @escaping @Sendable (ActionDeclaration) -> String,
      close: @escaping @Sendable () async -> Void
    ) {
      self.registry = registry
      self.digest = digest
      self.close = close
    }
  }

  private struct State {
    var actions: Actions?
    var workflowFolder = ""
    var withheld: Set<String> = []
    var calls: [Int: (call: WorkerCall, task: Task<Void, Never>?)] = [:]
    var watch: WatchedWorker?
    /// Closures that close the handles left open by calls. They are called when the worker ends.
    var closings: [@Sendable () -> Void] = []
  }

  private let program: String
  private let install: @Sendable (_ workflowFolder: String) throws -> Actions
  private let output: WorkerOutput
  private let result: ResultFile?
  private let threads = WorkerThreads()
  private let state = Mutex(State())
  /// The files of steps, or nil if host and worker share files. Static, because a process contains one worker.
  private static let files = Mutex<WorkerFiles?>(nil)

  /// True if a shell script keeps the worker's allocation. In that case, the engine ends a job by sending signals to
  /// all of its processes.
  private let isHeld = WorkerWatch.holder != nil
  /// The delay of a failure if `isHeld` is true. If a signal from the engine has ended the command, another one ends
  /// the worker within this time. The failure is therefore not attributed to the body.
  private static let signalMilliseconds: CInt = 300

  /// The maximum time for bodies to end when the worker is asked to end.
  private static let grace = Duration.milliseconds(700)

  /// - Parameters:
  ///   - program: The path of this program, which is started again as the guard.
  ///   - result: The path of the file for the result of a single body, or nil if no result is written.
  ///   - install: Returns the installed actions for a workflow's folder.
  package init(
    program: String, result: String? = nil, install: @escaping @Sendable (_ workflowFolder: String) throws -> Actions
  ) {
    self.program = program
    self.result = result.map { ResultFile(path: $0) }
    self.install = install
    output = WorkerOutput { Self.endAtOnce() }
  }

  /// Handles requests until the worker is asked to end or loses its run.
  package func serve() async throws {
    SignalThread.ignoreBrokenPipes()
    let isAsked = try await DetachedThread.run { self.read() }
    guard isAsked else { Self.endAtOnce() }
    await end()
  }

  /// The exit status of a worker that has lost its run.
  static let lostStatus: Int32 = 75

  private static func endAtOnce() -> Never {
    ProcessGuard.shared.killAll()
    files.withLock { $0 }?.remove()
    _exit(lostStatus)
  }

  /// Asks running bodies to end, and kills them after the grace period. Then warns about processes that were left
  /// behind and removes the worker's files.
  private func end() async {
    let (calls, actions) = state.withLock { state in
      (state.calls.values.map(\.call), state.actions)
    }
    for call in calls { cancel(call.id) }
    let end = ContinuousClock.now + Self.grace
    while !state.withLock({ $0.calls.isEmpty }), ContinuousClock.now < end {
      try? await Task.sleep(for: .milliseconds(5))
    }
    await actions?.close()
    ProcessGuard.shared.killAll()
    let warning = LeftBehindText.warning()
    for close in state.withLock({ $0.closings }) { close() }
    if let warning { output.notify("log", ["level": "warning", "message": .string(warning)]) }
    output.flush()
    Self.files.withLock { $0 }?.remove()
  }

  /// Reads and handles requests. Returns true if the worker was asked to end, and false at the end of the input or
  /// after a request that is too long.
  private func read() -> Bool {
    let input = Descriptor(0)
    var lines = LineBuffer(limit: JSONText.Rules.ofOutputs.bytes)
    while true {
      guard case .bytes = lines.fill({ input.receive(into: $0) }) else { return false }
      scanning: while true {
        switch lines.next() {
        case .nothing: break scanning
        case .tooLong:
          let limit = JSONText.Rules.ofOutputs.bytes >> 20
          output.notify("log", ["level": "error", "message": .string("a request is longer than \(limit) MiB")])
          return false
        case .line(let line):
          if handle(line) { return true }
        }
      }
    }
  }

  /// Handles one request. Returns true if it asks the worker to end.
  private func handle(_ line: ArraySlice<UInt8>) -> Bool {
    let request: Value
    do throws(JSONProblem) {
      request = try JSONText.parse(line, rules: .ofOutputs)
    } catch {
      output.notify("log", ["level": "error", "message": .string("a request is not JSON: \(error.message)")])
      return false
    }
    guard let members = request.objectValue, let method = members["method"]?.stringValue else { return false }
    let parameters = members["params"]?.objectValue ?? [:]
    let id = members["id"]?.integerValue ?? parameters["id"]?.integerValue ?? 0
    switch method {
    case "initialize": initialize(id, parameters)
    case "run": run(id, parameters)
    case "cancel": cancel(id)
    case "ping": ping()
    case "receipt": break
    case "shutdown": return true
    default:
      if Self.files.withLock({ $0 })?.handle(method, id, parameters) == true { break }
      if members["id"] != nil { output.refuse(id, ActionError("method", "there is no method '\(method)'")) }
    }
    return false
  }

  private func ping() {
    // Without its guard, the worker must not continue, because its commands could outlive it.
    if state.withLock({ $0.watch?.ping() }) == false { Self.endAtOnce() }
    output.notify("pong", [:])
  }

  private func initialize(_ id: Int, _ parameters: ValueObject) {
    var folder = parameters["workflowFolder"]?.stringValue ?? "/"
    let offers = parameters["offers"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let uses = offers.compactMap { WorkerTerms.Offer(rawValue: $0) }
    guard uses.contains(.files) || FilePath.isFolder(folder) else {
      return output.refuse(
        id,
        ActionError(
          "workflow-folder",
          "there is no folder '\(folder)' here; share it with this machine, or copy files with 'files=copy'"))
    }
    do {
      if uses.contains(.files) {
        let files = try WorkerFiles(in: parameters["scratch"]?.stringValue, output)
        Self.files.withLock { $0 = files }
        folder = files.path
      }
      let actions = try install(folder)
      if uses.contains(.receipts) { output.askForReceipts() }
      if uses.contains(.ping), let silence = parameters["silenceMilliseconds"]?.integerValue {
        let watch = try WatchedWorker(program: program, silenceMilliseconds: silence, holder: WorkerWatch.holder)
        state.withLock { $0.watch = watch }
      }
      state.withLock { state in
        state.actions = actions
        state.workflowFolder = folder
        state.withheld = Set(parameters["withheld"]?.arrayValue?.compactMap(\.stringValue) ?? [])
      }
      var digests = ValueObject()
      for declaration in actions.registry.declarations where declaration.portabilityObstacle == nil {
        digests[declaration.name] = .string(actions.digest(declaration))
      }
      output.answer(
        id,
        [
          "name": "flowrun-worker", "version": .string(Release.version),
          "uses": .array(uses.map { .string($0.rawValue) }), "actions": .object(digests),
          "mark": .string(LeftBehind.value), "process": .integer(Int(getpid())),
        ])
    } catch {
      output.refuse(id, ActionError("install", "\(error)"))
    }
  }

  private func run(_ id: Int, _ parameters: ValueObject) {
    let (actions, folder, withheld) = state.withLock { ($0.actions, $0.workflowFolder, $0.withheld) }
    let name = parameters["action"]?.stringValue ?? ""
    guard let actions, let action = actions.registry.action(named: name),
      action.declaration.portabilityObstacle == nil
    else {
      return output.refuse(id, ActionError("no-action", "this worker has no action '\(name)'", isRetryable: false))
    }
    var inputs = parameters["inputs"]?.objectValue ?? [:]
    var ownFolder = parameters["workflowFolder"]?.stringValue ?? folder
    if let number = parameters["files"]?.integerValue, let own = Self.files.withLock({ $0 })?.folder(number) {
      ownFolder = own.path
      inputs = own.localized(inputs, of: action.declaration)
    }
    let call = WorkerCall(
      id: id, parameters, dataFolder: folder, workflowFolder: ownFolder, without: withheld, actions.registry.handles,
      output, keep: { [self] close in state.withLock { $0.closings.append(close) } })
    state.withLock { $0.calls[id] = (call, nil) }
    switch action.body {
    case .synchronous(let body):
      let parts = action.bodyInParts
      runPart(of: call) { [self, inputs] in
        output.notify("started", ["id": .integer(id)])
        guard let parts else { return .ended(try body(inputs, call.context)) }
        return try parts.begin(inputs, call.context, StepThread(isWanted: { false }))
      }
    case .asynchronous(let body), .service(let body):
      output.notify("started", ["id": .integer(id)])
      let task = Task { [inputs] in
        do {
          finish(call, .success(try await body(inputs, call.context)))
        } catch {
          finish(call, .failure(error))
        }
      }
      state.withLock { if $0.calls[id] != nil { $0.calls[id]?.task = task } }
      if call.isCancelled { task.cancel() }
    }
  }

  /// Runs a part of a body on a thread. A body that pauses releases its thread and continues on another one.
  private func runPart(of call: WorkerCall, _ part: @escaping @Sendable () throws -> BodyInParts.Progress) {
    threads.run { [self] hasThread in
      guard hasThread else {
        return finish(
          call, .failure(ActionError("no-thread", "the system cannot create a thread", isRetryable: true)))
      }
      do {
        switch try part() {
        case .ended(let outputs): finish(call, .success(outputs))
        case .waits(let start, let next): start { [self] in runPart(of: call, next) }
        }
      } catch {
        finish(call, .failure(error))
      }
    }
  }

  private func finish(_ call: WorkerCall, _ result: Result<ValueObject, any Error>) {
    if isHeld, case .failure = result, !call.isCancelled { _ = poll(nil, 0, Self.signalMilliseconds) }
    let answer =
      switch result {
      case .success(let outputs): WorkerOutput.answer(call.id, ["outputs": .object(outputs)])
      case .failure(let error): WorkerOutput.refusal(call.id, error)
      }
    self.result?.write(answer)
    state.withLock { _ = $0.calls.removeValue(forKey: call.id) }
    output.send(answer)
  }

  private func cancel(_ id: Int) {
    guard let (call, task) = state.withLock({ $0.calls[id] }) else { return }
    call.cancel()
    task?.cancel()
  }
}
