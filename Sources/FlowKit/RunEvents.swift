import FlowEngine
import Synchronization

/// The events of a run as an asynchronous sequence, from the start of the run to its end.
public struct RunEvents: AsyncSequence, Sendable {
  /// An event of the run.
  public typealias Element = RunEvent

  let relay: EventRelay

  /// Creates a reader that starts with the first event.
  public func makeAsyncIterator() -> AsyncStream<RunEvent>.Iterator { relay.stream().makeAsyncIterator() }
}

/// Passes the events of a run to all readers, even if they start late, and to the app's own observer.
final class EventRelay: RunObserver {
  private struct State {
    var events: [RunEvent] = []
    var readers: [Int: AsyncStream<RunEvent>.Continuation] = [:]
    var nextReader = 0
    var hasEnded = false
  }

  /// The number of events kept for a late or slow reader. Further events are dropped for this reader.
  private static let limit = 10_000

  let detail: RunDetail
  private let observer: (any RunObserver)?
  private let state = Mutex(State())

  init(detail: RunDetail, passingOnTo observer: (any RunObserver)?) {
    self.detail = [detail, observer?.detail ?? .none].max { $0.rawValue < $1.rawValue } ?? detail
    self.observer = observer
  }

  func receive(_ events: [RunEvent]) {
    observer?.receive(events)
    let readers = state.withLock { state in
      for event in events {
        if state.events.count < Self.limit { state.events.append(event) }
      }
      return Array(state.readers.values)
    }
    for reader in readers {
      for event in events { reader.yield(event) }
    }
  }

  /// Ends all sequences when a run ends. Readers that start later receive the kept events.
  func end(with run: WorkflowRun) { run.whenEnded { [self] _ in end() } }

  private func end() {
    let readers = state.withLock { state in
      state.hasEnded = true
      return Array(state.readers.values)
    }
    for reader in readers { reader.finish() }
  }

  func stream() -> AsyncStream<RunEvent> {
    let (stream, reader) = AsyncStream.makeStream(of: RunEvent.self, bufferingPolicy: .bufferingOldest(Self.limit))
    state.withLock { state in
      for event in state.events { reader.yield(event) }
      if state.hasEnded { return reader.finish() }
      let number = state.nextReader
      state.nextReader += 1
      state.readers[number] = reader
      reader.onTermination = { [weak self] _ in self?.remove(number) }
    }
    return stream
  }

  private func remove(_ number: Int) { _ = state.withLock { $0.readers.removeValue(forKey: number) } }
}
