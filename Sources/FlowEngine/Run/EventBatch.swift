import FlowModel

/// Collects events and delivers them to the observer in batches.
///
/// The gate's thread does not wait for the run's lock, so later starts and ends of steps may be recorded before the
/// opening of the gate. The opening is inserted by its time among the events that have not been delivered.
struct EventBatch {
  /// The number of events per delivery. At least as many stay undelivered, so that the opening of the gate can be
  /// inserted.
  private static let capacity = 4096

  private let observer: any RunObserver
  /// The observer, if it receives a step's lines in groups; otherwise nil.
  private let lineObserver: (any LineObserver)?
  /// The parts up to the last lines. Always empty if the observer does not receive lines in groups.
  private var parts: [RunPart] = []
  /// The events that follow `parts`.
  private var events: [RunEvent] = []
  /// True if the ids of steps that finish are added to `endedSteps`.
  var notesEnds = false
  private(set) var endedSteps: [StepID] = []

  init(_ observer: any RunObserver, _ lineObserver: (any LineObserver)? = nil) {
    (self.observer, self.lineObserver) = (observer, lineObserver)
  }

  /// Adds an event. Delivers the oldest events once there are twice as many as a delivery contains.
  mutating func add(_ event: RunEvent) {
    if notesEnds, case .stepFinished(let step, _) = event.kind { endedSteps.append(step) }
    if case .gateOpened = event.kind, let last = lastNanoseconds, last > event.atNanoseconds { return insert(event) }
    events.append(event)
    guard events.count >= 2 * Self.capacity else { return }
    deliver(Array(events[..<Self.capacity]))
    events.removeFirst(Self.capacity)
  }

  /// Adds output lines, one by one if the observer does not receive them in groups.
  mutating func add(_ lines: StepLines) {
    guard lineObserver != nil else {
      for event in lines.events { add(event) }
      return
    }
    closeEvents()
    parts.append(.lines(lines))
  }

  /// Delivers all remaining events and lines.
  mutating func tell() {
    deliver(events)
    events.removeAll(keepingCapacity: true)
  }

  private mutating func deliver(_ events: [RunEvent]) {
    guard let lineObserver, !parts.isEmpty else {
      if !events.isEmpty { observer.receive(events) }
      return
    }
    lineObserver.receive(events.isEmpty ? parts : parts + [.events(events)])
    parts = []
  }

  private var lastNanoseconds: Int? {
    if let last = events.last { return last.atNanoseconds }
    switch parts.last {
    case .lines(let lines): return lines.atNanoseconds
    case .events(let events): return events.last?.atNanoseconds
    case nil: return nil
    }
  }

  private mutating func closeEvents() {
    if !events.isEmpty { parts.append(.events(events)) }
    events = []
  }

  /// Inserts an event by its time, after events of the same time.
  private mutating func insert(_ event: RunEvent) {
    closeEvents()
    var later: [RunPart] = []
    search: while let part = parts.popLast() {
      switch part {
      case .lines(let lines) where lines.atNanoseconds > event.atNanoseconds: later.append(part)
      case .events(let events):
        let place = events.lastIndex { $0.atNanoseconds <= event.atNanoseconds }.map { $0 + 1 } ?? 0
        if place < events.count { later.append(.events(Array(events[place...]))) }
        if place == 0 { continue }
        parts.append(.events(Array(events[..<place])))
        break search
      case .lines:
        parts.append(part)
        break search
      }
    }
    parts.append(.events([event]))
    parts += later.reversed()
    // An observer without groups of lines receives all events as one array.
    guard lineObserver == nil else { return }
    events = parts.flatMap(\.events)
    parts = []
  }
}
