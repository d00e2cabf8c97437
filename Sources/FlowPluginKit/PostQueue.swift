import FlowModel
import Synchronization

/// A queue of an event's posts for a reader that handles them one by one; see ``ActionContext/follow(_:into:)``.
public final class PostQueue: Sendable {
  private struct State {
    var waiting: [EventPost] = []
    var waiter: OneShot<EventPost?>?
    var isFinished = false
    var dropped = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Makes an empty queue for at most `limit` waiting posts. Further ones are dropped and counted.
  public init(limit: Int = Limits.waitingPosts) { self.limit = limit }

  /// The number of dropped posts, which arrived when the queue was full or after its end.
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

  /// Returns the next post once there is one, or nil at the end of the queue. Called by one reader at a time.
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

  /// Ends the queue. Waiting posts can still be read.
  public func finish() {
    let waiter = state.withLock { state in
      state.isFinished = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.finish(nil)
  }

  /// Ends the queue and drops waiting posts.
  public func dropAll() {
    finish()
    state.withLock { state in
      state.dropped += state.waiting.count
      state.waiting = []
    }
  }
}
