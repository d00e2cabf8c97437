import FlowModel
import Synchronization

/// A queue of an event's posts, which one reader handles one by one (``ActionContext/follow(_:into:)``).
package final class PostQueue: Sendable {
  private struct State {
    var waiting: [EventPost] = []
    var waiter: OneShot<EventPost?>?
    var isFinished = false
    var dropped = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Creates an empty queue. While `limit` posts are waiting, further posts are dropped.
  package init(limit: Int = Limits.waitingPosts) { self.limit = limit }

  /// The number of posts that were dropped because the queue was full or had ended.
  package var dropped: Int { state.withLock { $0.dropped } }

  /// Adds a post, or drops it if the queue is full or has ended.
  package func add(_ post: EventPost) {
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

  /// Waits for the next post and returns it, or nil at the end of the queue. Only one task may call it at a time.
  package nonisolated(nonsending) func next() async -> EventPost? {
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
  package func finish() {
    let waiter = state.withLock { state in
      state.isFinished = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.finish(nil)
  }

  /// Ends the queue and drops the waiting posts.
  package func dropAll() {
    finish()
    state.withLock { state in
      state.dropped += state.waiting.count
      state.waiting = []
    }
  }
}
