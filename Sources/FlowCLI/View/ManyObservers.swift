import FlowEngine

/// An observer that forwards events to several others.
struct ManyObservers: LineObserver {
  let observers: [any LineObserver]

  var detail: RunDetail { observers.allSatisfy { $0.detail == .brief } ? .brief : .full }

  func detail(ofItems count: Int) -> RunDetail {
    observers.allSatisfy { $0.detail(ofItems: count) == .brief } ? .brief : .full
  }

  func receive(_ events: [RunEvent]) {
    for observer in observers { observer.receive(events) }
  }

  func receive(_ parts: [RunPart]) {
    for observer in observers { observer.receive(parts) }
  }
}
