/// Events on the way to the observer.
struct EventBatch {
  /// How many the observer is given at once.
  private static let capacity = 4096

  private let observer: any RunObserver
  private var events: [RunEvent] = []

  init(_ observer: any RunObserver) { self.observer = observer }

  /// Adds an event, and notifies the observer when there are enough.
  mutating func add(_ event: RunEvent) {
    events.append(event)
    if events.count == Self.capacity { tell() }
  }

  /// Notifies the observer what it has not heard.
  mutating func tell() {
    if !events.isEmpty { observer.receive(events) }
    events.removeAll(keepingCapacity: true)
  }
}
