/// What a stretch of time on the critical path to the gate was spent on.
package enum PathCause: String, Sendable, Hashable, CaseIterable {
  /// A step did its work.
  case run
  /// A step waited for an event.
  case event
  /// A step waited for the gate.
  case gate
  /// A step waited for a slot in its queue.
  case queue
  /// A step waited until as much of the machine was free as it asks for.
  case resources
  /// A step waited for a thread.
  case thread
  /// A step waited for its next attempt.
  case retry
  /// A step had done its work and waited for its own minimum.
  case stepMinimum = "step minimum"
  /// A step waited until what came before it was on disk.
  case commit
  /// A step waited for a machine to take it.
  case executor
}

/// A stretch of the critical path to the gate.
package struct PathSegment: Sendable, Hashable {
  /// The step that it is about, as an index; nil: no step.
  package var step: Int?
  /// What it was spent on.
  package var cause: PathCause
  /// When it began, in nanoseconds from activation.
  package var start: Int
  /// When it was over.
  package var end: Int

  /// A stretch.
  package init(step: Int?, cause: PathCause, start: Int, end: Int) {
    self.step = step
    self.cause = cause
    self.start = start
    self.end = end
  }

  /// How long it was, in nanoseconds.
  package var length: Int { end - start }
}
