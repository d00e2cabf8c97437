import FlowModel
import Synchronization

/// Records the events of a run as a Chrome trace, which `chrome://tracing` and Perfetto can open. Each queue has as
/// many tracks as it has steps that run at the same time. Posts and the gate are instants.
package final class TraceRecorder: LineObserver {
  fileprivate struct State {
    var entries: [Value] = []
    var open: [StepID: (startNanoseconds: Int, queue: String, attempt: Int, track: Int)] = [:]
    /// The tracks of each queue. An element is true while a step uses the track.
    var tracks: [String: [Bool]] = [:]
    var trackNumbers: [String: Int] = [:]
  }

  private let state = Mutex(State())

  /// Creates an empty recorder.
  package init() {}

  /// Adds the events to the trace. Output lines are ignored, because a trace does not show them.
  package func receive(_ parts: [RunPart]) {
    for case .events(let events) in parts { receive(events) }
  }

  package func receive(_ events: [RunEvent]) {
    state.withLock { state in
      for event in events { state.add(event) }
    }
  }

  /// The trace as JSON in UTF-8.
  package var bytes: [UInt8] {
    let entries = state.withLock { $0.entries }
    return JSONText.bytes(of: ["traceEvents": .array(entries), "displayTimeUnit": "ms"]) + [UInt8(ascii: "\n")]
  }
}

extension TraceRecorder.State {
  fileprivate mutating func add(_ event: RunEvent) {
    switch event.kind {
    case .stepStarted(let step, let attempt, let queue):
      open[step] = (event.atNanoseconds, queue, attempt, takeTrack(queue))
    case .stepRetrying(let step, _, _, _): end(step, event.atNanoseconds, outcome: "retrying")
    case .stepFinished(let step, let finished): end(step, event.atNanoseconds, outcome: finished.outcome.word)
    case .eventPosted(let name, let number):
      instant("event \(name)" + (number.map { " \($0)" } ?? ""), event.atNanoseconds)
    case .gateOpened(let outcome): instant("gate \(outcome.word)", event.atNanoseconds)
    case .runActivated(let reason, _): instant("activated \(reason.rawValue)", event.atNanoseconds)
    default: break
    }
  }

  private mutating func end(_ step: StepID, _ now: Int, outcome: String) {
    guard let (start, queue, attempt, track) = open.removeValue(forKey: step) else { return }
    tracks[queue]![track] = false
    entries.append([
      "name": .string(step.text), "cat": "step", "ph": "X", "pid": 1, "tid": .integer(number(queue, track)),
      "ts": .number(Double(start) / 1000), "dur": .number(Double(now - start) / 1000),
      "args": ["attempt": .integer(attempt), "outcome": .string(outcome), "queue": .string(queue)],
    ])
  }

  private mutating func instant(_ name: String, _ now: Int) {
    entries.append([
      "name": .string(name), "cat": "event", "ph": "i", "s": "g", "pid": 1, "tid": 0, "ts": .number(Double(now) / 1000),
    ])
  }

  /// Returns the index of the first free track of a queue, which is then in use.
  private mutating func takeTrack(_ queue: String) -> Int {
    let free = tracks[queue, default: []].firstIndex(of: false) ?? tracks[queue, default: []].count
    if free == tracks[queue, default: []].count {
      tracks[queue, default: []].append(true)
    } else {
      tracks[queue]![free] = true
    }
    return free
  }

  private mutating func number(_ queue: String, _ track: Int) -> Int {
    let name = track == 0 ? queue : "\(queue) \(track + 1)"
    if let number = trackNumbers[name] { return number }
    let number = trackNumbers.count + 1
    trackNumbers[name] = number
    entries.append([
      "name": "thread_name", "ph": "M", "pid": 1, "tid": .integer(number), "args": ["name": .string(name)],
    ])
    return number
  }
}
