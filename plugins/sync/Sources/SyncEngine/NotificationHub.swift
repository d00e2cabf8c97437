import Synchronization
import SyncCore

/// Delivers notifications to all watchers of a zone in this process.
///
/// Each watcher buffers only the latest two unread messages, because older ones add no information.
package final class NotificationHub: Sendable {
  private struct State {
    var next = 0
    var watchers: [String: [Int: Watcher]] = [:]
    var latest: [String: Cursor] = [:]
  }

  private struct Watcher {
    var device: DeviceID
    var continuation: AsyncThrowingStream<ChannelSign, any Error>.Continuation
    /// The last cursor sent to the watcher, or nil after the watcher has fetched up to it.
    var unfetched: Cursor?
    var repeats = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Subscribes to the notifications of a zone. The stream starts with the current cursor returned by `present`. If
  /// `present` throws, the stream ends with its error.
  package func subscribe(
    zone: String, device: DeviceID, present: @escaping @Sendable () async throws -> Cursor
  ) -> AsyncThrowingStream<ChannelSign, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: ChannelSign.self, bufferingPolicy: .bufferingNewest(2))
    let number = state.withLock { state in
      state.next += 1
      state.watchers[zone, default: [:]][state.next] = Watcher(device: device, continuation: continuation)
      return state.next
    }
    let opening = Task {
      do {
        tell(.notification(try await present()), zone: zone, number: number)
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { [weak self] _ in
      opening.cancel()
      self?.state.withLock { _ = $0.watchers[zone]?.removeValue(forKey: number) }
    }
    return stream
  }

  /// Notifies all watchers of a zone that it has changed up to this cursor.
  package func publish(_ cursor: Cursor, zone: String) { publish(.notification(cursor), zone: zone) }

  /// Notifies all watchers of a zone of a change. Heartbeats, and notifications of changes that were already published,
  /// are not forwarded.
  package func publish(_ sign: ChannelSign, zone: String) {
    guard let cursor = sign.cursor else { return }
    let numbers = state.withLock { state -> [Int] in
      let known = state.latest[zone]
      if known.map({ $0.generation != cursor.generation || $0.sequence < cursor.sequence }) ?? true {
        state.latest[zone] = cursor
      } else if case .notification = sign {
        // All watchers have already received this change or a later one, so this notification is a repetition.
        return []
      }
      return Array((state.watchers[zone] ?? [:]).keys)
    }
    for number in numbers { tell(sign, zone: zone, number: number) }
  }

  /// Notifies the watchers of all zones whose position is known that the store is reachable again.
  package func recover() {
    let zones = state.withLock { state in
      state.watchers.compactMap { zone, watchers in
        (state.latest[zone] ?? watchers.values.compactMap(\.unfetched).first).map { (zone, $0) }
      }
    }
    for (zone, cursor) in zones { publish(.recovered(cursor), zone: zone) }
  }

  /// Records that a device has fetched up to a cursor, so that its notification is no longer repeated. This also
  /// happens if the cursor belongs to another incarnation of the zone.
  package func fetched(_ cursor: Cursor, by device: DeviceID, zone: String) {
    state.withLock { state in
      for (number, watcher) in state.watchers[zone] ?? [:] where watcher.device == device {
        if let unfetched = watcher.unfetched,
          unfetched.generation != cursor.generation || unfetched.sequence <= cursor.sequence
        {
          state.watchers[zone]?[number]?.unfetched = nil
        }
      }
    }
  }

  /// Repeats notifications that have not been followed by a fetch, at most `SyncLimits.notificationRepeats` times each.
  /// Sends a heartbeat to all other watchers.
  package func repeatUnfetched() {
    let due = state.withLock { state in
      var due: [(AsyncThrowingStream<ChannelSign, any Error>.Continuation, ChannelSign)] = []
      for (zone, watchers) in state.watchers {
        for (number, watcher) in watchers {
          if let cursor = watcher.unfetched, watcher.repeats < SyncLimits.notificationRepeats {
            state.watchers[zone]?[number]?.repeats += 1
            due.append((watcher.continuation, .notification(cursor)))
          } else {
            due.append((watcher.continuation, .alive))
          }
        }
      }
      return due
    }
    for (continuation, sign) in due { continuation.yield(sign) }
  }

  /// Ends all streams with an error, for example when the server stops.
  package func finish(throwing error: BackendError) {
    let all = state.withLock { state in
      defer { state.watchers = [:] }
      return state.watchers.values.flatMap { $0.values.map(\.continuation) }
    }
    for continuation in all { continuation.finish(throwing: error) }
  }

  /// Ends the streams of one zone with an error, for example when its token has changed.
  package func finish(zone: String, throwing error: BackendError) {
    let all = state.withLock { $0.watchers.removeValue(forKey: zone)?.values.map(\.continuation) ?? [] }
    for continuation in all { continuation.finish(throwing: error) }
  }

  /// Returns the furthest published cursor of a zone, or nil if nothing has been published.
  package func latest(zone: String) -> Cursor? { state.withLock { $0.latest[zone] } }

  /// The number of watchers in all zones.
  package var count: Int { state.withLock { $0.watchers.values.reduce(0) { $0 + $1.count } } }

  private func tell(_ sign: ChannelSign, zone: String, number: Int) {
    guard let cursor = sign.cursor else { return }
    let isRecovery = if case .recovered = sign { true } else { false }
    let continuation = state.withLock { state -> AsyncThrowingStream<ChannelSign, any Error>.Continuation? in
      guard let watcher = state.watchers[zone]?[number] else { return nil }
      if !isRecovery, let known = watcher.unfetched, known.generation == cursor.generation,
        known.sequence > cursor.sequence
      {
        return nil
      }
      state.watchers[zone]?[number]?.unfetched = cursor
      state.watchers[zone]?[number]?.repeats = 0
      return watcher.continuation
    }
    continuation?.yield(sign)
  }
}
