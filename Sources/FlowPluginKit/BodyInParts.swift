import FlowModel

/// The body of an action that releases its thread while it waits for something that needs no thread, such as the end of
/// a command.
///
/// An engine runs its parts one after another on threads of the step's pool. Other callers use ``Action/run(_:in:)``.
package struct BodyInParts: Sendable {
  /// The result of a part of a body.
  package enum Progress: Sendable {
    /// The body has ended with these outputs.
    case ended(ValueObject)
    /// The body waits. After the part has returned, `start` is called once with a function `resume`. The body must call
    /// `resume` once, on any thread, when it can continue. The engine then runs `next`.
    case waits(
      start: @Sendable (_ resume: @escaping @Sendable () -> Void) -> Void, next: @Sendable () throws -> Progress)
  }

  /// Runs the first part of the body.
  package let begin: @Sendable (ValueObject, ActionContext, StepThread) throws -> Progress

  package init(_ begin: @escaping @Sendable (ValueObject, ActionContext, StepThread) throws -> Progress) {
    self.begin = begin
  }
}

/// The thread on which a part of a body runs.
package struct StepThread: Sendable {
  /// Returns true if other work is waiting for the thread. The closure itself is nil if the body has its own thread, so
  /// that it may block.
  package let isWanted: (@Sendable () -> Bool)?

  /// A thread of a pool, which the body should release while it waits.
  package init(isWanted: @escaping @Sendable () -> Bool) { self.isWanted = isWanted }

  private init() { isWanted = nil }

  /// A thread that runs nothing but this body until it ends.
  package static let own = StepThread()
}
