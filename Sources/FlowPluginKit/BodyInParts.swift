import FlowModel

/// A body that returns to its thread while it waits for something that needs no thread, such as the end of a command.
///
/// Engines run its parts on threads of the step's pool, one after the other. Everyone else calls the action's ``Action/run(_:in:)``.
public struct BodyInParts: Sendable {
  /// The result of a part of a body.
  package enum Progress: Sendable {
    /// The body has ended with these outputs.
    case ended(ValueObject)
    /// The body waits. `start` is called once, after the part has returned, with a function that continues the body, which is called
    /// once, on any thread. `next` is the part that follows.
    case waits(
      start: @Sendable (_ resume: @escaping @Sendable () -> Void) -> Void, next: @Sendable () throws -> Progress)
  }

  /// Runs the first part.
  package let begin: @Sendable (ValueObject, ActionContext, StepThread) throws -> Progress

  /// A body whose first part is `begin`.
  package init(_ begin: @escaping @Sendable (ValueObject, ActionContext, StepThread) throws -> Progress) {
    self.begin = begin
  }
}

/// The threads on which the parts of a body run.
package struct StepThread: Sendable {
  /// Whether something else waits for the thread; nil if the body has a thread of its own, and never returns to wait.
  package let isWanted: (@Sendable () -> Bool)?

  /// A thread of a pool, which others may want.
  package init(isWanted: @escaping @Sendable () -> Bool) { self.isWanted = isWanted }

  private init() { isWanted = nil }

  /// A thread that the body has to itself until it ends.
  package static let own = StepThread()
}
