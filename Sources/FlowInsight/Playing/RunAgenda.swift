import FlowModel

/// Events scheduled on the virtual clock, ordered by time. They are kept in a binary heap of small items.
struct RunAgenda {
  /// A scheduled event.
  struct Item {
    /// The kind of an event. If a body does several things at the same instant, they happen in the order of the cases.
    enum Kind: UInt8 {
      /// A body posts an event, whose name has the index `payload`.
      case post
      /// A service reports ready.
      case ready
      /// A body succeeds.
      case success
      /// A body fails or is cancelled. Details have the index `payload`.
      case ending
      /// An event from outside the run, with the index `payload`, happens.
      case outside
    }

    var at: Int
    /// The rank among events at the same instant: bodies by their start, then events from outside the run.
    var order: Int32
    /// The index of data that does not fit into an item. Among items of the same kind, a lower index was scheduled
    /// earlier.
    var payload: Int32
    var step: StepIndex
    var attempt: UInt8
    var kind: Kind

    var isEnd: Bool { kind == .success || kind == .ending }

    @inline(__always)
    static func < (left: Item, right: Item) -> Bool {
      if left.at != right.at { return left.at < right.at }
      if left.order != right.order { return left.order < right.order }
      if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
      return left.payload < right.payload
    }
  }

  private var items: [Item] = []

  /// The instant of the next event, or nil if nothing is scheduled.
  var nextAt: Int? { items.first?.at }

  mutating func removeAll() { items.removeAll(keepingCapacity: true) }

  mutating func insert(_ item: Item) {
    items.append(item)
    items.withUnsafeMutableBufferPointer { items in
      var child = items.count - 1
      while child > 0 {
        let parent = (child - 1) / 2
        guard item < items[parent] else { break }
        items[child] = items[parent]
        child = parent
      }
      items[child] = item
    }
  }

  /// Removes and returns the next event. The agenda must not be empty.
  mutating func removeFirst() -> Item {
    let first = items[0]
    let last = items.removeLast()
    if !items.isEmpty { sink(last) }
    return first
  }

  private mutating func sink(_ item: Item) {
    items.withUnsafeMutableBufferPointer { items in
      var parent = 0
      while true {
        var child = 2 * parent + 1
        guard child < items.count else { break }
        if child + 1 < items.count, items[child + 1] < items[child] { child += 1 }
        guard items[child] < item else { break }
        items[parent] = items[child]
        parent = child
      }
      items[parent] = item
    }
  }

  /// Removes the events of a body that are scheduled after an instant. Returns true if its end is still scheduled.
  mutating func cut(_ step: StepIndex, attempt: UInt8, after instant: Int) -> Bool {
    let isOf = { (item: Item) in item.kind != .outside && item.step == step && item.attempt == attempt }
    if items.contains(where: { isOf($0) && $0.at > instant }) {
      let kept = items.filter { !isOf($0) || $0.at <= instant }
      items.removeAll(keepingCapacity: true)
      for item in kept { insert(item) }
    }
    return items.contains { isOf($0) && $0.isEnd }
  }
}
