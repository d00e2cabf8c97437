/// What happens when, soonest first; of one instant, what was added first.
struct EventQueue<Event> {
  /// Small, so that the heap moves little: the event itself stays where it is.
  private struct Key {
    var milliseconds: Int64
    var order: Int
    var slot: Int

    func isBefore(_ other: Key) -> Bool {
      milliseconds != other.milliseconds ? milliseconds < other.milliseconds : order < other.order
    }
  }

  /// What was known from the start, soonest last: a heap of all of it would be slow.
  private var planned: [(milliseconds: Int64, event: Event)]
  private var heap: [Key] = []
  private var events: [Event?] = []
  private var free: [Int] = []
  private var added = 0

  /// A queue of what is known from the start; at its instant it comes before what is added later.
  init(planned events: [(milliseconds: Int64, event: Event)]) {
    planned = events.enumerated().sorted { one, other in
      (one.element.milliseconds, one.offset) > (other.element.milliseconds, other.offset)
    }.map(\.element)
  }

  /// When the next event happens.
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
    heap.append(Key(milliseconds: milliseconds, order: added, slot: slot))
    added += 1
    var child = heap.count - 1
    while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeFirst() -> (milliseconds: Int64, event: Event)? {
    if let next = planned.last, heap.first.map({ next.milliseconds <= $0.milliseconds }) ?? true {
      return planned.removeLast()
    }
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      var parent = 0
      while true {
        var least = parent
        for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count && heap[child].isBefore(heap[least]) {
          least = child
        }
        if least == parent { break }
        heap.swapAt(parent, least)
        parent = least
      }
    }
    guard let event = events[first.slot].take() else { return nil }
    free.append(first.slot)
    return (first.milliseconds, event)
  }
}
