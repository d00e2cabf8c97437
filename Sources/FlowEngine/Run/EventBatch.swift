import FlowModel

/// Events to be delivered to the observer.
///
/// The gate's thread records the opening without waiting for the run's lock, so later starts and ends of steps may have
/// been recorded before it. The opening is inserted in order among the events that have not been delivered.
struct EventBatch {
  /// The number of events per delivery, and the minimum number kept back for the opening of the gate.
  private static let capacity = 4096

  private let observer: any RunObserver
  private var events: [RunEvent] = []
  /// True if the ends of steps are recorded.
  var notesEnds = false
  /// The steps that have finished.
  private(set) var endedSteps: [StepID] = []

  init(_ observer: any RunObserver) { self.observer = observer }

  /// Adds an event, and delivers the oldest if there are enough.
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

  /// Delivers the remaining events.
  mutating func tell() {
    if !events.isEmpty { observer.receive(events) }
    events.removeAll(keepingCapacity: true)
  }
}
