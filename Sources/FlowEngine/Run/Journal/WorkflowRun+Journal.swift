import FlowDiagnostics
import FlowModel
import FlowPlatform
import FlowPluginKit
import FlowSecrets
import FlowStore

// A run is recorded on the journal's thread. Entries are collected under the run's lock and encoded outside it.
extension WorkflowRun {
  /// The delay of the first write after the gate has opened. It keeps the write from delaying the first screen.
  private static let gateDelayNanoseconds = 3_000_000
  /// The maximum number of step results that are read each time the lock is taken.
  private static let entriesAtOnce = 2048

  /// Starts the recording. A durable run opens its store now; others write after 100 ms or shortly after the gate has
  /// opened.
  func startJournal() throws(PreparedWorkflow.PreparationProblem) {
    guard let journal else { return }
    guard !journal.history.isDurable else {
      do throws(StoreProblem) {
        try journal.open()
      } catch {
        throw PreparedWorkflow.PreparationProblem(step: nil, message: "durable: \(error.description)")
      }
      return keepAsking()
    }
    journal.thread.schedule(atNanoseconds: clock.now + RunJournal.rhythmNanoseconds) { [self] in keepJournal() }
    gateClock.whenOpen { [self] _ in
      journal.thread.schedule(atNanoseconds: clock.now + Self.gateDelayNanoseconds) { [self] in
        // If the gate opened with the last step, the entries are written together with the end of the run.
        if state.withLock({ $0.plan.conclusion == nil }) { _ = writeJournal() }
      }
    }
  }

  /// Writes new entries and handles requests, every 100 ms until the run has ended.
  private func keepJournal() {
    guard let journal, writeJournal() else { return }
    takeRequests()
    journal.thread.schedule(atNanoseconds: clock.now + RunJournal.rhythmNanoseconds) { [self] in keepJournal() }
  }

  /// Handles requests to a durable run and writes its output lines. Other entries are written when steps start.
  private func keepAsking() {
    guard let journal, !journal.isOver else { return }
    journal.thread.schedule(atNanoseconds: clock.now + RunJournal.rhythmNanoseconds) { [self] in
      takeRequests()
      writeLog()
      keepAsking()
    }
  }

  /// Writes the entries since the last call. Returns false if the recording has ended. It must be called on the
  /// journal's thread.
  @discardableResult
  func writeJournal() -> Bool {
    guard let journal, !journal.isOver else { return false }
    // Before activation, the header of a prewarmed run is incomplete.
    guard state.withLock({ $0.plan.activatedAtNanoseconds != nil }) else { return true }
    do throws(StoreProblem) {
      try journal.write(storedRun(.running)) { collectPieces() }
      return true
    } catch {
      tellOfJournal(error)
      return false
    }
  }

  private func writeLog() {
    guard let journal else { return }
    do throws(StoreProblem) {
      try journal.add { logPieces() }
    } catch {
      tellOfJournal(error)
    }
  }

  /// Returns the entries and output lines since the last call.
  func collectPieces() -> [JournalPiece] {
    var pieces = logPieces()
    if inherited.hasUnrecorded { pieces.append(.chunk(headerChunk())) }
    var writer = EntryWriter()
    // Results of many steps are read in parts, which reuses memory and releases the lock in between. The last part is
    // read together with the outputs, so that a step's entry and outputs are in the same chunk.
    let count = state.withLock { state in state.plan.untakenCount }
    writer.reserve(stepCount: count)
    for _ in 0..<count / Self.entriesAtOnce {
      writer.add(state.withLock { state in state.plan.takeEntries(atMost: Self.entriesAtOnce) })
    }
    let (entries, outputs) = state.withLock { state in (state.plan.takeEntries(), state.takeUnwrittenOutputs()) }
    if !writer.isEmpty || !entries.isEmpty || !outputs.isEmpty {
      pieces.append(.chunk(chunk(entries, outputs, behind: writer)))
    }
    return pieces
  }

  /// Encodes entries and outputs. `first` contains the entries that precede them.
  func chunk(_ entries: JournalEntries, _ outputs: UnwrittenOutputs, behind first: EntryWriter = EntryWriter())
    -> RunChunk
  {
    var writer = first
    writer.add(entries)
    for (step, output) in outputs.steps { writer.add(output: mask?.withPlaceholders(output) ?? output, of: step) }
    for (step, item, output) in outputs.items {
      writer.add(output: mask?.withPlaceholders(output) ?? output, of: step, item: item)
    }
    for var recorded in outputs.values {
      recorded.value = mask?.withPlaceholders(recorded.value) ?? recorded.value
      writer.add(recorded)
    }
    return RunChunk(
      .entries, wallMilliseconds: RunJournal.wallMilliseconds, runNanoseconds: clock.now, body: writer.bytes)
  }

  /// Returns the chunk with the header. It is written again when the launch is known, and after an expression has read
  /// another variable.
  func headerChunk() -> RunChunk {
    inherited.noteRecorded()
    var header = self.header
    if let origin {
      header = origin.plan.header
      header.inherited = inherited.values
      if let mask { header = header.withPlaceholders(by: mask) }
    }
    return RunChunk(
      .header, wallMilliseconds: RunJournal.wallMilliseconds, runNanoseconds: clock.now, body: header.bytes)
  }

  /// Returns the output lines since the last call. Lines that were held back are shown to other processes before they
  /// are recorded.
  private func logPieces() -> [JournalPiece] {
    let (lines, firstReleased, held) = state.withLock { state in
      defer { (state.unwrittenLines, state.firstReleasedByte, state.unshownLines) = ([], nil, []) }
      return (state.unwrittenLines, state.firstReleasedByte ?? state.unwrittenLines.count, state.unshownLines)
    }
    func chunk(_ lines: ArraySlice<UInt8>) -> [JournalPiece] {
      guard !lines.isEmpty else { return [] }
      return [
        .chunk(
          RunChunk(.log, wallMilliseconds: RunJournal.wallMilliseconds, runNanoseconds: clock.now, body: Array(lines)))
      ]
    }
    guard !held.isEmpty else { return chunk(lines[...]) }
    return chunk(lines[..<firstReleased]) + [.heldLines(held)] + chunk(lines[firstReleased...])
  }

  /// Records an output line, a warning or the names of items, unless the log holds it back or drops it. Returns false
  /// if the observer must not receive the event, because it is an output line of a quiet step.
  func recordLine(_ event: RunEvent) -> Bool {
    guard journal != nil else { return true }
    switch event.kind {
    case .stepLog, .pluginLog, .warning, .stepItems: break
    default: return true
    }
    let (isKept, isShown) = state.withLock { state in
      (isRecorded(event, &state), !state.recordedLog.isQuiet(event, showsOutput: options.showsOutput))
    }
    guard isKept else { return isShown }
    var line = event.recordedValue
    if case .stepItems(let step, _) = event.kind, let keys = keys(ofItemsOf: step) {
      line[RunRecollection.keysKey] = .array(keys.map { .string($0) })
    }
    record(Self.bytes(of: CollectionOfOne(line)), wereHeld: false)
    return isShown
  }

  /// Returns true if the event must be recorded now, or false if the log holds it back or drops it.
  private func isRecorded(_ event: RunEvent, _ state: inout RunState) -> Bool {
    switch state.recordedLog.place(event) {
    case .recorded: return true
    case .held(let number):
      // If a line is missing in the live log, readers detect that by the numbers.
      if state.unshownLines.count < LiveLog.mostBytesAtOnce {
        LiveLog.append(event, number: number, to: &state.unshownLines)
      }
      return false
    case .dropped: return false
    }
  }

  /// Returns the keys of a step's items with secrets hidden, or nil if the items have no keys.
  private func keys(ofItemsOf step: StepID) -> [String]? {
    let all = state.withLock { $0.itemKeys }
    guard !all.isEmpty, let index = index(ofStep: step.text), let keys = all[index] else { return nil }
    return keys.map { mask?.masked($0) ?? $0 }
  }

  /// Records output lines, except those that the log holds back. Returns false if the observer must not receive them,
  /// because the step is quiet.
  func record(_ lines: StepLines) -> Bool {
    guard journal != nil else { return true }
    let (recorded, isShown) = state.withLock { state in
      let (recorded, held, number) = state.recordedLog.place(lines)
      if !held.lines.isEmpty, state.unshownLines.count < LiveLog.mostBytesAtOnce {
        LiveLog.append(held, number: number, to: &state.unshownLines)
      }
      return (recorded, !state.recordedLog.isQuiet(lines.step, showsOutput: options.showsOutput))
    }
    if recorded.lines.isEmpty { return isShown }
    var bytes: [UInt8] = []
    recorded.appendJSON(to: &bytes, keepsColors: true)
    record(bytes, wereHeld: false)
    return isShown
  }

  /// Records the last output lines of finished steps. They were held back until now.
  func recordLastLines(of steps: some Sequence<StepID>) {
    for step in steps {
      var bytes: [UInt8] = []
      for held in state.withLock({ $0.recordedLog.release(step) }) {
        switch held.content {
        case .event(let event):
          var line = event.recordedValue
          line[RunRecollection.numberKey] = .integer(held.number)
          if held.isNote { line[RunRecollection.noteKey] = true }
          bytes += Self.bytes(of: CollectionOfOne(line))
        case .lines(let lines): lines.appendJSON(to: &bytes, keepsColors: true, numberedFrom: held.number)
        }
      }
      record(bytes, wereHeld: true)
    }
  }

  /// Records the number of lines that plugins have printed beyond the limit.
  func recordDroppedLines() {
    record(Self.bytes(of: state.withLock { $0.recordedLog.droppedLines(at: clock.now) }), wereHeld: false)
  }

  private static func bytes(of lines: some Collection<ValueObject>) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines {
      JSONText.append(.object(line), to: &bytes)
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  private func record(_ bytes: [UInt8], wereHeld: Bool) {
    guard !bytes.isEmpty else { return }
    state.withLock { state in
      if wereHeld, state.firstReleasedByte == nil { state.firstReleasedByte = state.unwrittenLines.count }
      state.unwrittenLines += bytes
    }
  }

  /// Returns the description of the run for the store.
  func storedRun(_ stored: StoredRun.State, summary: [UInt8] = []) -> StoredRun {
    let age = clock.now / 1_000_000
    return StoredRun(
      id: run.id, workflow: prepared.graph.workflow.name, file: journal?.history.file ?? "",
      startedMilliseconds: RunJournal.wallMilliseconds - age, state: stored, epoch: 1,
      holder: journal?.history.holder ?? RunHolder(process: 0, host: ""), header: header.bytes, summary: summary)
  }

  private var header: RunHeader {
    var header = RunHeader()
    header.inputs = options.inputs
    header.dataFolder = run.dataFolder
    header.jitterSeed = options.jitterSeed
    header.isPrewarmed = options.isPrewarmed
    header.forcedSteps = options.forcedSteps.sorted()
    header.selection = selection
    header.hasRemoteSteps = options.placement != nil
    header.remoteSteps = options.placement?.steps
    header.isDurable = journal?.history.isDurable ?? false
    header.programs = journal?.history.programs() ?? [:]
    header.retiredKeys = origin?.plan.header.retiredKeys ?? [:]
    header.inherited = inherited.values
    state.withLock { state in
      header.environment = state.environment
      header.launch = state.launch
    }
    // The launch options may contain a secret, such as the token in a link that launched the app.
    header.launch.options = recordable(launchOptions: header.launch.options)
    return mask.map { header.withPlaceholders(by: $0) } ?? header
  }

  /// Writes the end of the run. A problem is added to the report as a warning and, if the run is durable or was taken
  /// over, makes the run fail.
  func finishJournal(_ report: inout RunReport) {
    guard let journal else { return }
    var summary = report.summary
    // The report of a workflow without a gate does not mention one.
    if prepared.graph.workflow.gate == nil { summary["gate"] = nil }
    let bytes = JSONText.bytes(of: .object(summary))
    let isLost = isGuarded && journal.isLost
    do throws(StoreProblem) {
      try journal.finish(storedRun(StoredRun.State(report.conclusion), summary: bytes)) { collectPieces() }
      if clock.now & 15 == 0 { journal.prune(nowMilliseconds: RunJournal.wallMilliseconds) }
    } catch {}
    journal.releaseStore()
    endSuspension()
    // The problem may have occurred earlier, or after the report was created.
    if let problem = journal.problem {
      let warning = "history: \(problem)"
      if !report.warnings.contains(warning) { report.warnings.append(warning) }
      var isTaken = isLost
      if case .fenced = problem { isTaken = true }
      if journal.history.isDurable || isTaken {
        report.conclusion = .failure
        report.ownFailures.append(StepFailure(code: "history", message: warning))
      }
    }
    journal.thread.stop()
  }

  /// Reports that the recording has stopped. Cancels the run if it is durable or another process has taken it over.
  func tellOfJournal(_ problem: StoreProblem) {
    warn("history: \(problem)")
    if case .fenced = problem { return cancel() }
    guard journal?.history.isDurable == true else { return }
    cancel()
  }

  // MARK: What others ask

  /// Handles the requests that other processes have sent to the run.
  private func takeRequests() {
    guard let journal else { return }
    do throws(StoreProblem) {
      for request in try journal.requests() {
        journal.answer(request.number, answer(to: (try? JSONText.parse(request.body)) ?? .null))
      }
    } catch {
      tellOfJournal(error)
    }
  }

  private func answer(to request: Value) -> Value {
    guard let object = request.objectValue,
      let word = object["ask"]?.stringValue.flatMap({ RunRequestWord(rawValue: $0) })
    else { return ["problem": "this run does not know what was asked"] }
    switch word {
    case .cancel:
      if !endWait() { cancel() }
      return ["done": true]
    case .post:
      let event = object["event"]?.stringValue ?? ""
      let known = prepared.eventNames
      guard known.contains(event) else {
        let nearest = NearestName.of(event, among: known.sorted()).map { "; did you mean '\($0)'?" } ?? ""
        return ["problem": .string("this workflow has no event '\(event)'\(nearest)")]
      }
      if object["value-follows"] == true {
        return ["secret": .boolean(prepared.eventValues.secretPart(of: .null, event) != nil)]
      }
      let secret: Value? = Self.secret(of: object) { try JSONText.parse($0) }
      if object["secret"] != nil, secret == nil {
        return ["problem": "this run cannot read the value; post it as the user that the run has"]
      }
      let counts = withPlan { $0.plan.numberOfNextPost(of: event) != nil }
      do throws(EventValueProblem) {
        try post(event, value: secret ?? object["value"] ?? .null)
        return ["done": true, "counts": .boolean(counts)]
      } catch {
        return ["problem": .string(error.description)]
      }
    case .answer:
      let secret = Self.secret(of: object) { $0 }
      guard let step = object["step"]?.stringValue, let choice = secret ?? object["choice"]?.stringValue else {
        return ["problem": "this run does not know what was answered"]
      }
      do throws(AnswerProblem) {
        try answer(
          step, with: choice, by: object["by"]?.stringValue ?? "somebody", isRecorded: secret == nil)
        return ["done": true]
      } catch {
        return ["problem": .string(error.description)]
      }
    }
  }

  /// Reads the secret of a request from its named pipe. Returns nil if the request has none or it cannot be read.
  private static func secret<Result>(of request: ValueObject, _ read: (String) throws -> Result) -> Result? {
    guard let pipe = request["secret"]?.objectValue else { return nil }
    let text = PrivatePipe.text(at: pipe["pipe"]?.stringValue ?? "", byteCount: pipe["bytes"]?.integerValue ?? 0)
    return text.flatMap { try? read($0) }
  }
}

extension StoredRun.State {
  init(_ conclusion: RunConclusion) {
    switch conclusion {
    case .success: self = .success
    case .partial: self = .partial
    case .failure: self = .failure
    case .cancelled: self = .cancelled
    }
  }
}

extension PreparedWorkflow {
  /// The events that the workflow declares, and those that its steps wait for or follow.
  var eventNames: Set<String> {
    var names = Set(graph.workflow.events.map(\.name))
    for fact in facts.values { names.formUnion(fact.followedEvents) }
    for step in graph.stepsWithOptions { names.formUnion(graph.workflow.steps[Int(step)].options.events) }
    return names
  }
}
