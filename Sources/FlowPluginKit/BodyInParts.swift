import FlowModel

/// The body of an action that returns to its thread while it waits for something that needs no thread, such as the end
/// of a command.
///
/// An engine runs its parts on threads of the step's pool, one after another. Other callers use ``Action/run(_:in:)``.
package struct BodyInParts: Sendable {
  /// The result of a part of a body.
  package enum Progress: Sendable {
    /// The body has ended with these outputs.
    case ended(ValueObject)
    /// The body waits. After the part has returned, the first function is called once, with a function that must be
    /// called once, on any thread, when the body can continue. Then `next` is the part to run.
    case waits(
      start: @Sendable (_ resume: @escaping @Sendable () -> Void) -> Void, next: @Sendable () throws -> Progress)
  }

  /// Runs the first part.
  package let begin: @Sendable (ValueObject, ActionContext, StepThread) throws -> Progress

  /// Creates a body whose first part is `begin`.
  package init(_ begin: @escaping @Sendable (ValueObject, ActionContext, StepThread) throws -> Progress) {
    self.begin = begin
  }
}

/// The thread that runs a part of a body.
package struct StepThread: Sendable {
  /// Returns true if other work waits for the thread. The function is nil if the body has its own thread, so that it
  /// need not return while it waits.
  package let isWanted: (@Sendable () -> Bool)?

  /// A thread of a pool.
  package init(isWanted: @escaping @Sendable () -> Bool) { self.isWanted = isWanted }

  private init() { isWanted = nil }

  /// A thread that runs only this body until it ends.
  package static let own = StepThread()
}
