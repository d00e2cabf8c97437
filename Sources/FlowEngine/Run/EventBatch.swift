import FlowModel

/// Events on the way to the observer.
///
/// The gate's thread notes when the gate opened without waiting for the run's lock, so that steps which started and ended
/// after that may have been noted before. The opening is put where it belongs among the events that are still here.
struct EventBatch {
  /// How many the observer is given at once, and how many at least are kept back for the opening of the gate.
  private static let capacity = 4096

  private let observer: any RunObserver
  private var events: [RunEvent] = []
  /// Whether the steps that have finished are noted.
  var notesEnds = false
  /// The steps that have finished.
  private(set) var endedSteps: [StepID] = []

  init(_ observer: any RunObserver) { self.observer = observer }

  /// Adds an event, and tells the observer of the oldest when there are enough.
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

  /// Tells the observer what it has not heard.
  mutating func tell() {
    if !events.isEmpty { observer.receive(events) }
    events.removeAll(keepingCapacity: true)
  }
}
