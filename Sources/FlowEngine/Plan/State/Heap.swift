/// A binary heap that returns its least element first.
struct Heap<Element: Comparable> {
  private var elements: [Element] = []

  var isEmpty: Bool { elements.isEmpty }

  var first: Element? { elements.first }

  mutating func reserve() { elements.reserveCapacity(4) }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[child] < elements[parent] else { return }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes and returns the least element. The heap must not be empty.
  @discardableResult
  mutating func removeFirst() -> Element {
    elements.swapAt(0, elements.count - 1)
    let first = elements.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < elements.count && elements[child] < elements[least] {
        least = child
      }
      guard least != parent else { return first }
      elements.swapAt(parent, least)
      parent = least
    }
  }

  mutating func removeAll() { elements.removeAll() }

  /// Removes an element by value, in linear time.
  mutating func remove(_ element: Element) {
    let others = elements.filter { $0 != element }
    removeAll()
    for other in others { insert(other) }
  }
}

extension Heap: Sendable where Element: Sendable {}
