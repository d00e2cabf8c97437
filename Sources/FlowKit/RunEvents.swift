import FlowEngine
import Synchronization

/// An asynchronous sequence of a run's events, from its start to its end.
public struct RunEvents: AsyncSequence, Sendable {
  /// The type of the events.
  public typealias Element = RunEvent

  let relay: EventRelay

  /// Creates an iterator that starts with the first event of the run.
  public func makeAsyncIterator() -> AsyncStream<RunEvent>.Iterator { relay.stream().makeAsyncIterator() }
}

/// Passes the events of a run on to all readers, even to those that start late, and to the app's own observer.
final class EventRelay: RunObserver {
  private struct State {
    var events: [RunEvent] = []
    var readers: [Int: AsyncStream<RunEvent>.Continuation] = [:]
    var nextReader = 0
    var hasEnded = false
  }

  /// The number of events that are kept for a reader that starts late or is slow. Beyond that, events are dropped for
  /// this reader.
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

  /// Ends all sequences when the run ends. Readers that start after that still receive the kept events.
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
