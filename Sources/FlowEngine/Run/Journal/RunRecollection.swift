import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowPlatform
import FlowStore

/// The content of a run's journal.
///
/// A resume writes a chunk with all entries that it keeps. Their step indices are those of the workflow file at that
/// time. Entries before the last resume are therefore ignored.
package struct RunRecollection: Sendable {
  /// The last recorded header, with the new paths of a folder that has moved.
  package private(set) var header: RunHeader
  /// The processes of the run, in order.
  package private(set) var epochs: [RunEpoch] = []
  /// True if the journal contains the step that posted each event. Earlier versions did not record it.
  package var knowsPosters: Bool {
    !entries.contains { if case .posted(_, by: .unknown, _) = $0 { true } else { false } }
  }
  /// True if a process of the run could start steps on executors.
  package var hadRemoteSteps: Bool { header.hasRemoteSteps || epochs.contains(where: \.hasRemoteSteps) }
  /// The executors of the last process, or nil if it had none. Earlier versions did not record them.
  private var remoteSteps: RemoteSteps? { epochs.count > 1 ? epochs.last?.remoteSteps : header.remoteSteps }
  /// The position up to which the journal was read.
  package let position: RunPosition
  /// The steps that the last resume has kept.
  package private(set) var kept: Set<StepIndex> = []
  /// The entries since the last resume, in order.
  package private(set) var entries: [JournalEntry] = []
  /// The outputs of steps, by step.
  package private(set) var outputs: [StepIndex: ValueObject] = [:]
  /// The outputs of items, by step and index.
  package private(set) var itemOutputs: [StepIndex: [Int: ValueObject]] = [:]
  /// The values of posted events, without secret ones.
  private(set) var eventValues: [RecordedEventValue] = []
  /// The state of each step's items when they were last determined.
  private var itemKeys: [StepIndex: ItemKeys] = [:]
  /// The move of the workflow's folder since the run was recorded, or nil if it has not moved.
  package let move: FolderMove?
  /// The time of the last chunk, in nanoseconds from the start of the run.
  package private(set) var lastNanoseconds = 0
  /// The time of the last write, in milliseconds since 1970, or nil if the journal is empty.
  package private(set) var lastMilliseconds: Int?

  /// The error for a journal that cannot be read.
  package struct JournalProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// A description of the problem.
    package var description: String
  }

  /// Reads the journal of a run. `stepCount` is the number of steps in its workflow.
  package init(_ run: StoredRun, chunks: [[UInt8]], stepCount: Int) throws(JournalProblem) {
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
    // Skip entries before the last resume. Their step indices may differ, because the file has changed.
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
    // Only the last header is moved, because earlier ones no longer matter.
    if let move { self.header = self.header.moved(by: move) }
    // A process that took the lease and wrote nothing appears only in the run itself.
    if epochs.last?.epoch != run.epoch {
      let started = epochs.isEmpty && run.epoch == 1 ? run.startedMilliseconds : lastMilliseconds
      epochs.append(
        RunEpoch(
          epoch: run.epoch, holder: run.holder, startedMilliseconds: started ?? run.startedMilliseconds))
    }
  }

  /// The results of steps, without those of items, in order.
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

  /// Determines the kept steps from the entries of a resume. Steps that the resume failed as interrupted or left out do
  /// not count as kept.
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

  /// Removes the outputs of items that have changed or are no longer in the list.
  private mutating func forgetOutputs(of step: StepIndex, where hashes: [UInt64]) {
    if let before = itemKeys.updateValue(ItemKeys(hashes: hashes), forKey: step) {
      itemOutputs[step] = itemOutputs[step]?.filter { before.isSame($0.key, in: hashes) }
    }
  }

  /// Returns the output lines of a run as JSON objects, in order and without colors.
  package static func lines(in chunks: [[UInt8]]) -> [ValueObject] {
    coloredLines(in: chunks).compactMap { line in
      // Entries with the names of items have no message, so they are omitted.
      guard let message = line["message"]?.stringValue else { return nil }
      guard message.utf8.contains(0x1B) else { return line }
      var line = line
      line["message"] = .string(TerminalText.commandText(message))
      return line
    }
  }

  /// Returns the same lines as ``lines(in:)``, but with colors.
  package static func coloredLines(in chunks: [[UInt8]]) -> [ValueObject] { numberedLines(in: chunks).map(\.line) }

  /// The keys that a recorded line has only if it was held back: one for its number, and one that marks a note about
  /// missing lines.
  static let (numberKey, noteKey) = ("held", "note")
  /// In a recorded line with the names of items, the key of the member that contains their keys.
  static let keysKey = "keys"

  /// The names of a step's items, and their keys if the items come from an object.
  package struct ItemNames {
    package var step: String
    package var names: [String]
    package var keys: [String]?
  }

  /// Returns the recorded names of items, in the order in which they were recorded. A resumed run may record them
  /// again.
  package static func itemNames(in chunks: [[UInt8]]) -> [ItemNames] {
    let beginning = Array(#"{"event":"step.items""#.utf8)
    var found: [ItemNames] = []
    for bytes in chunks {
      guard let chunk = try? RunChunk(bytes), chunk.kind == .log else { continue }
      // Most lines are output. They are skipped without being parsed, because a log may have millions of them.
      var rest = chunk.body[...]
      while !rest.isEmpty {
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
        let line = rest[..<end]
        rest = rest[min(end + 1, rest.endIndex)...]
        guard line.starts(with: beginning), case .object(let object)? = try? JSONText.parse(line),
          let step = object["step"]?.stringValue, let names = object["items"]?.arrayValue
        else { continue }
        let keys = object[keysKey]?.arrayValue?.compactMap(\.stringValue)
        found.append(ItemNames(step: step, names: names.compactMap(\.stringValue), keys: keys))
      }
    }
    return found
  }

  /// Returns the same lines as ``coloredLines(in:)``, with the number of each line that was held back.
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

  /// Returns the ids of the steps that succeeded in a run, or none if the run cannot be read.
  package static func successes(
    of run: StoredRun, in store: some RunStore, stepNames: ([UInt8]) -> [String]?
  ) -> Set<String> {
    guard let names = (try? store.definition(of: run.id)).flatMap(stepNames),
      let read = try? store.chunks(of: run.id).map({ try RunChunk($0) })
    else { return [] }
    var successes: Set<String> = []
    let begin = read.lastIndex { $0.kind == .resume } ?? 0
    for chunk in read[begin...] where chunk.kind == .entries || chunk.kind == .resume {
      // The reader skips outputs, the largest part of a journal, without parsing them.
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

  /// Returns the outputs of all steps, by id.
  package func outputs(of graph: WorkflowGraph) -> ValueObject {
    var object = ValueObject()
    for (step, output) in outputs.sorted(by: { $0.key < $1.key }) {
      object[graph.workflow.steps[Int(step)].id.text] = .object(output)
    }
    return object
  }

  /// Returns the number of items of a step when they were last determined.
  package func itemCount(ofStepNamed id: String, in graph: WorkflowGraph) -> Int {
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

  /// Returns a plan in the state that the journal describes.
  package func plan(of graph: WorkflowGraph) -> Plan {
    var plan = Plan(
      graph: graph, facts: Self.statusFunctions(of: graph),
      remote: remoteSteps?.within(stepCount: graph.workflow.steps.count), selected: selected(of: graph), detail: .none)
    plan.beginRestoring(wasPrewarmed: header.isPrewarmed)
    for entry in entries { plan.restore(entry) }
    plan.endRestoring(at: lastNanoseconds, gateCountsAnew: false)
    return plan
  }

  /// Returns the steps that were selected for the run, or nil if it ran all steps.
  private func selected(of graph: WorkflowGraph) -> Set<StepIndex>? {
    guard header.selection != nil else { return nil }
    var selected = Set(graph.workflow.steps.indices.lazy.map { StepIndex($0) })
    for (finished, _) in finishedSteps where finished.reason == .notSelected { selected.remove(finished.task.step) }
    return selected
  }

  /// Returns facts for the steps whose `if` calls status functions. Without these facts, the plan would skip the steps
  /// after failed dependencies.
  private static func statusFunctions(of graph: WorkflowGraph) -> [StepIndex: StepFacts] {
    var facts: [StepIndex: StepFacts] = [:]
    for step in graph.stepsWithOptions {
      guard let text = graph.workflow.steps[Int(step)].options.condition,
        let functions = try? graph.workflow.texts.condition(text).expression.statusFunctionSet, !functions.isEmpty
      else { continue }
      facts[step] = StepFacts(statusFunctions: functions)
    }
    return facts
  }
}
