import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowPlatform
import FlowStore

/// What a run's journal says, as far as it goes.
///
/// A resume begins the journal again: its chunk repeats what is kept, by the steps of the file as it is then. So
/// everything up to the last resume is left out.
public struct RunRecollection: Sendable {
  /// What the run was begun with.
  public private(set) var header: RunHeader
  /// The processes that the run has had, the last one at the end.
  public private(set) var epochs: [RunEpoch] = []
  /// Whether steps were started remotely, by whichever of these processes.
  public var hadRemoteSteps: Bool { header.hasRemoteSteps || epochs.contains(where: \.hasRemoteSteps) }
  /// How far the journal was known when it was read.
  public let position: RunPosition
  /// The steps that the last resume kept.
  public private(set) var kept: Set<StepIndex> = []
  /// The entries, in order.
  package private(set) var entries: [JournalEntry] = []
  /// What steps returned.
  package private(set) var outputs: [StepIndex: ValueObject] = [:]
  /// What items of steps returned.
  package private(set) var itemOutputs: [StepIndex: [Int: ValueObject]] = [:]
  /// The values that events were posted with, without secrets.
  private(set) var eventValues: [RecordedEventValue] = []
  /// The items of steps as they were worked out last.
  private var itemKeys: [StepIndex: ItemKeys] = [:]
  /// How the folder of the workflow has moved since the journal was begun; nil if it has not.
  public let move: FolderMove?
  /// When the last entry was made, in nanoseconds from the start of the run.
  public private(set) var lastNanoseconds = 0
  /// When the last of it was written, in milliseconds since 1970; nil: nothing was.
  public private(set) var lastMilliseconds: Int?

  /// A journal that cannot be read.
  public struct JournalProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public var description: String
  }

  /// Reads the journal of a run of a workflow of this many steps.
  public init(_ run: StoredRun, chunks: [[UInt8]], stepCount: Int) throws(JournalProblem) {
    guard let header = RunHeader(run.header) else {
      throw JournalProblem(description: "what run \(run.id) was begun with cannot be read")
    }
    self.header = header
    move = FolderMove(from: FilePath.folder(of: run.recordedFile), to: FilePath.folder(of: run.file))
    position = RunPosition(epoch: run.epoch, chunkCount: chunks.count)
    var read: [RunChunk] = []
    for bytes in chunks {
      do throws(RunChunk.ChunkProblem) {
        read.append(try RunChunk(bytes))
      } catch {
        throw JournalProblem(description: "run \(run.id): \(error)")
      }
    }
    // What came before the last resume speaks of the steps of the file as it was then, which may be other ones.
    let begin = read.lastIndex { $0.kind == .resume } ?? 0
    for (index, chunk) in read.enumerated() {
      do throws(RunChunk.ChunkProblem) {
        switch chunk.kind {
        case .log: continue
        case .header: self.header = RunHeader(chunk.body) ?? self.header
        case .epochs: readEpochs(chunk.body)
        case .entries, .resume: if index >= begin { try self.read(chunk, stepCount) }
        }
        if chunk.kind == .resume, index == begin { noteKept() }
        lastNanoseconds = max(lastNanoseconds, chunk.runNanoseconds)
        lastMilliseconds = chunk.wallMilliseconds
      } catch {
        throw JournalProblem(description: "run \(run.id): \(error)")
      }
    }
    // The paths of the last header, since earlier ones no longer count.
    if let move { self.header = self.header.moved(by: move) }
    // One that took the run and wrote nothing is known from the run alone.
    if epochs.last?.epoch != run.epoch {
      let started = epochs.isEmpty && run.epoch == 1 ? run.startedMilliseconds : lastMilliseconds
      epochs.append(
        RunEpoch(
          epoch: run.epoch, holder: run.holder, startedMilliseconds: started ?? run.startedMilliseconds))
    }
  }

  /// How steps finished, in order, and why they failed; without their items.
  package var finishedSteps: some Sequence<(FinishedEntry, StepFailure?)> {
    entries.lazy.compactMap { entry in
      guard case .finished(let finished, let failure) = entry, finished.task.item == nil else { return nil }
      return (finished, failure)
    }
  }

  private mutating func readEpochs(_ bytes: [UInt8]) {
    guard case .array(let values)? = try? JSONText.parse(bytes) else { return }
    epochs = values.compactMap { RunEpoch($0) }
  }

  /// A resume's own journal entries are those of the steps that it kept, but for those that it gave up.
  private mutating func noteKept() {
    kept = Set(minimumCapacity: entries.count)
    for (finished, failure) in finishedSteps
    where finished.reason != .notSelected && failure?.code != "interrupted" {
      kept.insert(finished.task.step)
    }
  }

  private mutating func read(_ chunk: RunChunk, _ stepCount: Int) throws(RunChunk.ChunkProblem) {
    var reader = EntryReader(chunk.body, stepCount: stepCount)
    do throws(ByteReader.ByteProblem) {
      while let item = try reader.next() {
        switch item {
        case .entry(let entry):
          entries.append(entry)
          if case .expanded(let step, let hashes, _) = entry { forgetOutputs(of: step, where: hashes) }
        case .output(let step, let json):
          guard case .object(let object)? = try? JSONText.parse(json, rules: .ofOutputs) else {
            throw ByteReader([]).problem("an output")
          }
          outputs[step] = object
        case .itemOutput(let step, let item, let json):
          guard case .object(let object)? = try? JSONText.parse(json, rules: .ofOutputs) else {
            throw ByteReader([]).problem("an output")
          }
          itemOutputs[step, default: [:]][item] = object
        case .eventValue(let event, let number, let json):
          guard case .object(let object)? = try? JSONText.parse(json, rules: .ofOutputs) else {
            throw ByteReader([]).problem("the value of an event")
          }
          eventValues.removeAll { $0.event == event && $0.number == number }
          eventValues.append(RecordedEventValue(event: event, number: number, value: object))
        }
      }
    } catch {
      throw .damaged
    }
  }

  /// The items of a step are these now: what others gave at the same index is not theirs.
  private mutating func forgetOutputs(of step: StepIndex, where hashes: [UInt64]) {
    if let before = itemKeys.updateValue(ItemKeys(hashes: hashes), forKey: step) {
      itemOutputs[step] = itemOutputs[step]?.filter { before.isSame($0.key, in: hashes) }
    }
  }

  /// The lines that the steps of a run wrote, as JSON objects, in order and without colors.
  public static func lines(in chunks: [[UInt8]]) -> [ValueObject] {
    coloredLines(in: chunks).compactMap { line in
      // The names of items are for readers of lines.
      guard let message = line["message"]?.stringValue else { return nil }
      guard message.utf8.contains(0x1B) else { return line }
      var line = line
      line["message"] = .string(TerminalText.commandText(message))
      return line
    }
  }

  /// The same with the colors that were printed.
  package static func coloredLines(in chunks: [[UInt8]]) -> [ValueObject] { numberedLines(in: chunks).map(\.line) }

  /// The members of a recorded line that was held back: its number, and whether it is in place of missing lines.
  static let (numberKey, noteKey) = ("held", "note")

  /// The same with the numbers of those that were held back.
  static func numberedLines(in chunks: [[UInt8]]) -> [NumberedLine] {
    var lines: [NumberedLine] = []
    for bytes in chunks {
      guard let chunk = try? RunChunk(bytes), chunk.kind == .log else { continue }
      for line in chunk.body.split(separator: UInt8(ascii: "\n")) {
        guard case .object(var object)? = try? JSONText.parse(line) else { continue }
        let (number, isNote) = (object[numberKey]?.integerValue, object[noteKey] == true)
        (object[numberKey], object[noteKey]) = (nil, nil)
        lines.append(NumberedLine(object, number: number, isNote: isNote))
      }
    }
    return lines
  }

  /// The names of the steps that ended well in a run; none of one that cannot be read.
  public static func successes(
    of run: StoredRun, in store: some RunStore, stepNames: ([UInt8]) -> [String]?
  ) -> Set<String> {
    guard let names = (try? store.definition(of: run.id)).flatMap(stepNames),
      let read = try? store.chunks(of: run.id).map({ try RunChunk($0) })
    else { return [] }
    var successes: Set<String> = []
    let begin = read.lastIndex { $0.kind == .resume } ?? 0
    for chunk in read[begin...] where chunk.kind == .entries || chunk.kind == .resume {
      // Outputs are most of a journal and are passed over.
      var reader = EntryReader(chunk.body, stepCount: names.count)
      do throws(ByteReader.ByteProblem) {
        while let item = try reader.next() {
          guard case .entry(.finished(let finished, _)) = item, finished.task.item == nil, finished.outcome == .success
          else { continue }
          successes.insert(names[Int(finished.task.step)])
        }
      } catch {
        return []
      }
    }
    return successes
  }

  /// What steps returned, by their ids.
  public func outputs(of graph: WorkflowGraph) -> ValueObject {
    var object = ValueObject()
    for (step, output) in outputs.sorted(by: { $0.key < $1.key }) {
      object[graph.workflow.steps[Int(step)].id.text] = .object(output)
    }
    return object
  }

  /// The number of items that a step had when they were last worked out.
  public func itemCount(ofStepNamed id: String, in graph: WorkflowGraph) -> Int {
    guard let step = graph.workflow.steps.firstIndex(where: { $0.id.text == id }) else { return 0 }
    var count = 0
    for entry in entries {
      switch entry {
      case .expanded(StepIndex(step), let hashes, _): count = hashes.count
      case .grown(StepIndex(step), let grown, _): count = grown
      default: break
      }
    }
    return count
  }

  /// A plan in which everything is as the journal says, for a report.
  package func plan(of graph: WorkflowGraph) -> Plan {
    var plan = Plan(
      graph: graph, facts: Self.statusFunctions(of: graph), selected: selected(of: graph), detail: .none)
    plan.beginRestoring(wasPrewarmed: header.isPrewarmed)
    for entry in entries { plan.restore(entry) }
    plan.endRestoring(at: lastNanoseconds, gateCountsAnew: false)
    return plan
  }

  /// The steps that a run of selected steps ran; nil: the run was one of all steps.
  private func selected(of graph: WorkflowGraph) -> Set<StepIndex>? {
    guard header.selection != nil else { return nil }
    var selected = Set(graph.workflow.steps.indices.lazy.map { StepIndex($0) })
    for (finished, _) in finishedSteps where finished.reason == .notSelected { selected.remove(finished.task.step) }
    return selected
  }

  /// The steps whose `if` asks how their dependencies ended: without that the plan would hold that they were skipped.
  private static func statusFunctions(of graph: WorkflowGraph) -> [StepIndex: StepFacts] {
    var facts: [StepIndex: StepFacts] = [:]
    for step in graph.stepsWithOptions {
      guard let text = graph.workflow.steps[Int(step)].options.condition,
        let functions = try? Expression.condition(text).expression.statusFunctionSet, !functions.isEmpty
      else { continue }
      facts[step] = StepFacts(statusFunctions: functions)
    }
    return facts
  }
}
