import FlowModel
import Synchronization

/// The posts of an event on their way to one who takes them one after the other; see ``ActionContext/follow(_:into:)``.
public final class PostQueue: Sendable {
  private struct State {
    var waiting: [EventPost] = []
    var waiter: OneShot<EventPost?>?
    var isFinished = false
    var dropped = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  /// An empty queue in which at most `limit` posts wait; what comes past that is dropped and counted.
  public init(limit: Int = Limits.waitingPosts) { self.limit = limit }

  /// The number of posts that were dropped: they came when too many waited, or when it was too late to take them.
  public var dropped: Int { state.withLock { $0.dropped } }

  /// Adds a post.
  public func add(_ post: EventPost) {
    let waiter = state.withLock { state -> OneShot<EventPost?>? in
      if let waiter = state.waiter {
        state.waiter = nil
        return waiter
      }
      if state.isFinished || state.waiting.count >= limit {
        state.dropped += 1
      } else {
        state.waiting.append(post)
      }
      return nil
    }
    waiter?.finish(post)
  }

  /// The next post, when it has come; nil: none is left and no more will come. Called by one party at a time.
  public nonisolated(nonsending) func next() async -> EventPost? {
    let coming = OneShot<EventPost?>()
    state.withLock { state in
      if !state.waiting.isEmpty {
        coming.finish(state.waiting.removeFirst())
      } else if state.isFinished {
        coming.finish(nil)
      } else {
        state.waiter = coming
      }
    }
    return await coming.wait()
  }

  /// No more will come; what waits may still be taken.
  public func finish() {
    let waiter = state.withLock { state in
      state.isFinished = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.finish(nil)
  }

  /// No more will come, and what waits is dropped.
  public func dropAll() {
    finish()
    state.withLock { state in
      state.dropped += state.waiting.count
      state.waiting = []
    }
  }
}
