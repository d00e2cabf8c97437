import FlowModel
import FlowStore
import Synchronization

/// Reads the output lines of a run's steps: all of them while the run continues, the recorded ones afterwards.
///
/// Every call may wait for the disk.
package final class LogFollower: Sendable {
  /// Lines that are read together.
  package struct Part: Sendable {
    /// The lines, as JSON objects. Messages have the colors that were printed.
    package var lines: [ValueObject]
    /// The position after the lines, for ``LogFollower/init(_:in:after:)``.
    package var position: String
  }

  /// The changes of a run since the last call.
  package struct News: Sendable {
    /// The state of the run, or nil if it was deleted.
    package var run: StoredRun?
    /// The new lines, in parts that were read together.
    package var parts: [Part] = []
    /// True if the journal has new entries other than lines.
    package var hasEntries = false

    /// The new lines of all parts.
    package var lines: [ValueObject] { parts.flatMap(\.lines) }
    /// True if a process is running the run.
    package var isRunning: Bool { run?.state == .running }
  }

  /// The maximum number of lines in a part.
  private static let partLines = 2_000

  private let run: String
  private let store: any RunStore
  private let state: Mutex<State>

  private struct State {
    /// The number of chunks that have been read.
    var chunk = 0
    /// The number of lines of the next chunk that have been read.
    var line = 0
    var live: LiveLogReader?
    /// The position up to which the running process's files have been read.
    var known: LiveLogPosition?
    var wasLive = false
    /// The lines of these files whose predecessors may not have been read.
    var early: [LiveLog.Line] = []
    var shown = ShownLines()
  }

  /// Creates a follower that starts after a position, or at the beginning for nil.
  package init(_ run: String, in store: any RunStore, after position: String? = nil) {
    (self.run, self.store) = (run, store)
    var state = State()
    let words = (position ?? "").split(separator: ".").compactMap { Int($0) }
    if words.count >= 2, words.allSatisfy({ $0 >= 0 }) {
      (state.chunk, state.line) = (words[0], words[1])
      if words.count == 5 { state.known = LiveLogPosition(epoch: words[2], part: words[3], byte: words[4]) }
    }
    self.state = Mutex(state)
  }

  /// Returns the changes since the last call.
  package func read() throws(StoreProblem) -> News {
    try state.withLock { state throws(StoreProblem) in
      // The state is read first, so the chunks contain everything written until then.
      var news = News(run: try store.run(run))
      // The record of an ended run is in the store. Its last lines may have been added since the last call.
      let isLive = news.isRunning || news.run?.state == .interrupted
      let isKnown = isLive || state.wasLive
      var live = state.early
      if isKnown { live += readLive(&state) }
      state.early = []
      for bytes in try store.chunks(of: run, from: state.chunk) {
        if (try? RunChunk(bytes))?.kind == .log {
          read(bytes, &live, isKnown, &state, &news)
        } else {
          news.hasEntries = true
        }
        (state.chunk, state.line) = (state.chunk + 1, 0)
      }
      add(live, &state, &news)
      if !isLive {
        add(state.early, &state, &news)
        state.early = []
        if state.wasLive { state.live?.removeFiles() }
        state.live = nil
      }
      state.wasLive = isLive
      return news
    }
  }

  /// Reads the lines in a chunk. Lines that were held back are in the files before they are in a chunk.
  private func read(
    _ bytes: [UInt8], _ live: inout [LiveLog.Line], _ isLive: Bool, _ state: inout State, _ news: inout News
  ) {
    let lines = RunRecollection.numberedLines(in: [bytes])
    var released: [String: Int] = [:]
    for line in lines { if let number = line.number { released[line.step] = number } }
    if isLive, !released.isEmpty {
      add(live, &state, &news)
      live = []
      state.early += readLive(&state)
      let count = (state.early.lastIndex { $0.number <= released[$0.step] ?? -1 } ?? -1) + 1
      add(Array(state.early[..<count]), &state, &news)
      state.early.removeFirst(count)
    }
    while state.line < lines.count {
      let end = min(lines.count, state.line + Self.partLines)
      let new = lines[state.line..<end].flatMap { state.shown.add($0) }
      state.line = end
      if !new.isEmpty {
        news.parts.append(Part(lines: new, position: position(in: state, isAtEnd: end == lines.count)))
      }
    }
  }

  private func add(_ live: [LiveLog.Line], _ state: inout State, _ news: inout News) {
    var next = 0
    while next < live.count {
      let end = min(live.count, next + Self.partLines)
      let lines = live[next..<end].flatMap { state.shown.add(NumberedLine($0.event.recordedValue, number: $0.number)) }
      next = end
      // A page that loses its connection between these parts reads them again.
      if !lines.isEmpty { news.parts.append(Part(lines: lines, position: position(in: state, isAtEnd: false))) }
    }
  }

  private func readLive(_ state: inout State) -> [LiveLog.Line] {
    guard let folder = store.liveFolder else { return [] }
    if state.live == nil {
      state.live = LiveLogReader(in: folder, run: run)
      if let known = state.known {
        for line in state.live?.read(upTo: known) ?? [] {
          _ = state.shown.add(NumberedLine(line.event.recordedValue, number: line.number))
        }
      }
    }
    return state.live?.read() ?? []
  }

  private func position(in state: State, isAtEnd: Bool) -> String {
    let chunk = isAtEnd ? "\(state.chunk + 1).0" : "\(state.chunk).\(state.line)"
    guard let live = state.live?.position ?? state.known else { return chunk }
    return "\(chunk).\(live.epoch).\(live.part).\(live.byte)"
  }
}

/// A line of a log, with a number if it was held back until its step had ended.
struct NumberedLine {
  var line: ValueObject
  /// The number among the held-back lines of its step. It increases from epoch to epoch.
  var number: Int?
  /// True if it replaces lines that are not recorded. It then has the number of the last of them.
  var isNote = false

  init(_ line: ValueObject, number: Int?, isNote: Bool = false) {
    (self.line, self.number, self.isNote) = (line, number, isNote)
  }

  /// The step, even if an item of it printed the line.
  var step: String {
    let name = line["step"]?.stringValue ?? ""
    return StepID(unchecked: name).item?.step.text ?? name
  }
}

/// The lines of a log that were shown while the run continued, so that none is shown again when it is recorded.
struct ShownLines {
  /// The highest number shown, by step.
  private var numbers: [String: Int] = [:]

  /// Returns a line unless it was shown, preceded by a note if earlier lines are missing.
  mutating func add(_ line: NumberedLine) -> [ValueObject] {
    guard let number = line.number else { return [line.line] }
    let step = line.step
    let start = number & ~((1 << RecordedLog.countBits) - 1)
    let shown = numbers[step].map { max($0, start) } ?? start
    guard number > shown else { return [] }
    // For a step that was not followed, the record reports the missing lines.
    if line.isNote, shown > start { return [] }
    numbers[step] = number
    let missing = number - shown - 1
    guard missing > 0, !line.isNote, var note = Optional(line.line) else { return [line.line] }
    note["step"] = .string(step)
    note["stream"] = nil
    note["message"] = .string(RecordedLog.note(lines: missing, bytes: nil))
    return [note, line.line]
  }
}
