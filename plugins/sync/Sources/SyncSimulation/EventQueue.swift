/// A queue of events, earliest first. Events at the same time are returned in the order of their insertion.
struct EventQueue<Event> {
  /// The time, order and slot of an event. The heap moves these small keys instead of the events.
  private struct Key {
    var milliseconds: Int64
    var order: Int
    var slot: Int

    func isBefore(_ other: Key) -> Bool {
      milliseconds != other.milliseconds ? milliseconds < other.milliseconds : order < other.order
    }
  }

  /// The events known at the start, latest first. A heap that contained all of them would be slow.
  private var planned: [(milliseconds: Int64, event: Event)]
  private var heap: [Key] = []
  /// The number of children of each node in the heap. Four keys are adjacent in the processor's cache.
  private static var children: Int { 4 }
  private var events: [Event?] = []
  private var free: [Int] = []
  private var added = 0

  /// Creates a queue with the events known at the start. They come before events that are added later for the same
  /// time.
  init(planned events: [(milliseconds: Int64, event: Event)]) {
    planned = events.enumerated().sorted { one, other in
      (one.element.milliseconds, one.offset) > (other.element.milliseconds, other.offset)
    }.map(\.element)
  }

  /// The time of the next event, or nil if the queue is empty.
  var nextMilliseconds: Int64? {
    guard let planned = planned.last?.milliseconds else { return heap.first?.milliseconds }
    return min(planned, heap.first?.milliseconds ?? planned)
  }

  mutating func add(_ event: Event, atMilliseconds milliseconds: Int64) {
    let slot: Int
    if let last = free.popLast() {
      slot = last
      events[slot] = event
    } else {
      slot = events.count
      events.append(event)
    }
    let key = Key(milliseconds: milliseconds, order: added, slot: slot)
    heap.append(key)
    added += 1
    var place = heap.count - 1
    while place > 0, key.isBefore(heap[(place - 1) / Self.children]) {
      heap[place] = heap[(place - 1) / Self.children]
      place = (place - 1) / Self.children
    }
    heap[place] = key
  }

  mutating func removeFirst() -> (milliseconds: Int64, event: Event)? {
    if let next = planned.last, heap.first.map({ next.milliseconds <= $0.milliseconds }) ?? true {
      return planned.removeLast()
    }
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      var place = 0
      while Self.children * place + 1 < heap.count {
        var least = Self.children * place + 1
        let end = min(least + Self.children, heap.count)
        for child in (least + 1)..<end where heap[child].isBefore(heap[least]) {
          least = child
        }
        guard heap[least].isBefore(last) else { break }
        heap[place] = heap[least]
        place = least
      }
      heap[place] = last
    }
    guard let event = events[first.slot].take() else { return nil }
    free.append(first.slot)
    return (first.milliseconds, event)
  }
}
