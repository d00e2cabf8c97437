/// The cause of a segment of the critical path: the work of a step, or one of its waits.
package enum PathCause: String, Sendable, Hashable, CaseIterable {
  /// A step ran.
  case run
  /// A step waited for an event.
  case event
  /// A step waited for the gate.
  case gate
  /// A step waited for a slot in its queue.
  case queue
  /// A step waited for resources of the machine.
  case resources
  /// A step waited for a thread.
  case thread
  /// A step paused before its next attempt.
  case retry
  /// A step had finished its work, but its minimum duration had not passed.
  case stepMinimum = "step minimum"
  /// A step waited until the journal entries of earlier steps were on disk.
  case commit
  /// A step waited for a worker of its executor.
  case executor
}

/// A stretch of the critical path with a single step and cause.
package struct PathSegment: Sendable, Hashable {
  /// The index of the step, or nil if the segment does not belong to a step.
  package var step: Int?
  package var cause: PathCause
  /// The start in nanoseconds after activation.
  package var start: Int
  /// The end in nanoseconds after activation.
  package var end: Int

  package init(step: Int?, cause: PathCause, start: Int, end: Int) {
    self.step = step
    self.cause = cause
    self.start = start
    self.end = end
  }

  package var length: Int { end - start }
}
