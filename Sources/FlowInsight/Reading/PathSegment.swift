/// The cause of a segment of the critical path to the gate.
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
  /// A step waited for its next attempt.
  case retry
  /// A step had finished its work and waited for its minimum.
  case stepMinimum = "step minimum"
  /// A step waited until the journal of earlier steps was on disk.
  case commit
  /// A step waited for a worker.
  case executor
}

/// A segment of the critical path to the gate.
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

  /// The length in nanoseconds.
  package var length: Int { end - start }
}
