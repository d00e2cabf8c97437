import FlowModel

/// Collects events and delivers them to the observer in batches.
///
/// The gate's thread does not wait for the run's lock, so later starts and ends of steps may be recorded before the
/// opening. It is inserted by its time among the events that have not been delivered.
struct EventBatch {
  /// The number of events per delivery. At least as many are kept back, so that the opening can still be inserted.
  private static let capacity = 4096

  private let observer: any RunObserver
  private var events: [RunEvent] = []
  /// True if `endedSteps` is filled.
  var notesEnds = false
  private(set) var endedSteps: [StepID] = []

  init(_ observer: any RunObserver) { self.observer = observer }

  /// Adds an event. Delivers the oldest events if there are enough.
  mutating func add(_ event: RunEvent) {
    if notesEnds, case .stepFinished(let step, _) = event.kind { endedSteps.append(step) }
    if case .gateOpened = event.kind, let last = events.last, last.atNanoseconds > event.atNanoseconds {
      let place = events.lastIndex { $0.atNanoseconds <= event.atNanoseconds }.map { $0 + 1 } ?? 0
      return events.insert(event, at: place)
    }
    events.append(event)
    guard events.count >= 2 * Self.capacity else { return }
    observer.receive(Array(events[..<Self.capacity]))
    events.removeFirst(Self.capacity)
  }

  /// Delivers all remaining events.
  mutating func tell() {
    if !events.isEmpty { observer.receive(events) }
    events.removeAll(keepingCapacity: true)
  }
}
