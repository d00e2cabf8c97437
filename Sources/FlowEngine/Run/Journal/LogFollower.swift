import FlowModel
import FlowStore
import Synchronization

/// Follows the output of a run: returns all lines while the run continues, and the recorded lines afterwards.
///
/// Each call may read from the disk.
package final class LogFollower: Sendable {
  /// Lines that were read together, with the position after them.
  package struct Part: Sendable {
    /// The lines, as JSON objects. Messages keep the colors that were printed.
    package var lines: [ValueObject]
    /// The position after the lines. ``LogFollower/init(_:in:after:)`` can start there.
    package var position: String
  }

  /// The changes of a run since the previous call.
  package struct News: Sendable {
    /// The run, or nil if it was deleted.
    package var run: StoredRun?
    /// The new lines, in parts with a position for each.
    package var parts: [Part] = []
    /// True if the journal has new entries other than output lines.
    package var hasEntries = false

    /// All new lines.
    package var lines: [ValueObject] { parts.flatMap(\.lines) }
    /// True if a process is running the run.
    package var isRunning: Bool { run?.state == .running }
  }

  private static let partLines = 2_000

  private let run: String
  private let store: any RunStore
  private let state: Mutex<State>

  private struct State {
    /// The number of chunks that have been read completely.
    var chunk = 0
    /// The number of lines that have been read from the next chunk.
    var line = 0
    var live: LiveLogReader?
    /// The position in the ``LiveLog`` files up to which an earlier follower has read.
    var known: LiveLogPosition?
    var wasLive = false
    /// Lines from the ``LiveLog`` files that may follow lines that have not been read.
    var early: [LiveLog.Line] = []
    var shown = ShownLines()
  }

  /// Creates a follower that starts after `position`, or at the beginning if `position` is nil.
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

  /// Returns the changes since the previous call.
  package func read() throws(StoreProblem) -> News {
    try state.withLock { state throws(StoreProblem) in
      // Read the run first, so that the chunks include everything written up to then.
      var news = News(run: try store.run(run))
      // When a run has ended, the store has all of its lines. The last ones may have been added since the previous
      // call.
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

  /// Adds the lines of a chunk. Lines that were held back appear in the live files before they are recorded in a chunk.
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
      // A client that loses its connection between two parts resumes at the position of the first.
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

/// A line of a log. It has a number if it was held back.
struct NumberedLine {
  var line: ValueObject
  /// The number of the line among all held-back lines of its step, or nil if it was not held back. Numbers increase
  /// from epoch to epoch.
  var number: Int?
  /// True if the line is a note about lines that were not recorded. Its number is the number of the last missing line.
  var isNote = false

  init(_ line: ValueObject, number: Int?, isNote: Bool = false) {
    (self.line, self.number, self.isNote) = (line, number, isNote)
  }

  /// The id of the step. If an item printed the line, this is the step that the item belongs to.
  var step: String {
    let name = line["step"]?.stringValue ?? ""
    return StepID(unchecked: name).item?.step.text ?? name
  }
}

/// The lines that were shown while the run continued, so that none is shown again when it is recorded.
struct ShownLines {
  /// The highest line number that was shown, by step.
  private var numbers: [String: Int] = [:]

  /// Returns the line, or nothing if it was shown before. A note precedes it if earlier lines are missing.
  mutating func add(_ line: NumberedLine) -> [ValueObject] {
    guard let number = line.number else { return [line.line] }
    let step = line.step
    let start = number & ~((1 << RecordedLog.countBits) - 1)
    let shown = numbers[step].map { max($0, start) } ?? start
    guard number > shown else { return [] }
    // The lines of this step were shown while it ran, so a note about unrecorded ones is not needed.
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
