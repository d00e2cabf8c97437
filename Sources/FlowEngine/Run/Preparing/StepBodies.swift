import FlowModel
import FlowPluginKit

/// The bodies of a workflow's actions. Threads call them without reference counting, because threads that run steps
/// with the same action would contend for its reference count.
///
/// Proof of safety: the references are retained in `init`, never replaced, and released in `deinit`. Callers of a body
/// keep a reference to the workflow, which owns this object.
final class StepBodies: @unchecked Sendable {
  /// A body that runs in a task.
  struct InTask {
    let call: @Sendable (ValueObject, ActionContext) async throws -> ValueObject
    let isService: Bool
  }

  private final class Plain: Sendable {
    let call: @Sendable (ActionContext) throws -> Void
    init(_ call: @escaping @Sendable (ActionContext) throws -> Void) { self.call = call }
  }

  private final class Synchronous: Sendable {
    let call: @Sendable (ValueObject, ActionContext) throws -> ValueObject
    init(_ call: @escaping @Sendable (ValueObject, ActionContext) throws -> ValueObject) { self.call = call }
  }

  private struct References {
    // Proof of safety: each was retained in `init` and is released in `deinit` of the bodies, which no thread outlives.
    var plain: Unmanaged<Plain>?
    var synchronous: Unmanaged<Synchronous>?
  }

  private let bodies: [RegisteredAction.Body]
  /// The bodies that release their thread while they wait, by action. The array is empty if there are none.
  private let bodiesInParts: [BodyInParts?]
  private let references: UnsafeMutableBufferPointer<References>
  /// For each step, the index of its action, or -1 if the step needs inputs or its action has no plain body.
  private let plainIndices: UnsafeMutableBufferPointer<Int32>

  /// Creates the bodies of a workflow's actions.
  ///
  /// - Parameters:
  ///   - actions: The actions, without duplicates.
  ///   - steps: For each step, the index of its action.
  ///   - details: For each step, the index of its details, or -1.
  ///   - plainFanOuts: The fan-outs whose items need no inputs.
  init(_ actions: [RegisteredAction], steps: [Int32], details: [Int32], plainFanOuts: Set<Int>) {
    bodies = actions.map(\.body)
    let hasParts = actions.contains { $0.bodyInParts != nil }
    bodiesInParts = hasParts ? actions.map(\.bodyInParts) : []
    references = .allocate(capacity: actions.count)
    for (index, action) in actions.enumerated() {
      var reference = References()
      if action.bodyInParts != nil {
        // Keep no reference, because the action's other bodies would block their thread.
      } else if let call = action.plainBody {
        reference.plain = .passRetained(Plain(call))
      } else if case .synchronous(let call) = action.body {
        reference.synchronous = .passRetained(Synchronous(call))
      }
      references.initializeElement(at: index, to: reference)
    }
    plainIndices = .allocate(capacity: steps.count)
    for (step, action) in steps.enumerated() {
      let isPlain = (details[step] < 0 || plainFanOuts.contains(step)) && references[Int(action)].plain != nil
      plainIndices.initializeElement(at: step, to: isPlain ? action : -1)
    }
  }

  deinit {
    for reference in references {
      reference.plain?.release()
      reference.synchronous?.release()
    }
    references.deallocate()
    plainIndices.deallocate()
  }

  /// True if the step and its items have no inputs and no outputs, and run without a task.
  @inline(__always)
  func isPlain(_ step: StepIndex) -> Bool { plainIndices[Int(step)] >= 0 }

  @inline(__always)
  func runPlain(_ step: StepIndex, in context: ActionContext) throws {
    let reference = references.baseAddress.unsafelyUnwrapped[Int(plainIndices[Int(step)])]
    try reference.plain.unsafelyUnwrapped._withUnsafeGuaranteedRef { try $0.call(context) }
  }

  /// Runs the body of an action if it is synchronous and has no parts, and returns its outputs. Returns nil otherwise.
  @inline(__always)
  func run(_ action: Int32, _ inputs: StartInputs?, in context: ActionContext) throws -> ValueObject? {
    if let plain = references[Int(action)].plain {
      try plain._withUnsafeGuaranteedRef { try $0.call(context) }
      return ValueObject()
    }
    guard let body = references[Int(action)].synchronous else { return nil }
    return try body._withUnsafeGuaranteedRef { try $0.call(inputs?.values ?? ValueObject(), context) }
  }

  @inline(__always)
  var hasParts: Bool { !bodiesInParts.isEmpty }

  /// Returns an action's body that releases its thread while it waits, or nil if the action has none.
  func inParts(_ action: Int32) -> BodyInParts? { bodiesInParts.isEmpty ? nil : bodiesInParts[Int(action)] }

  /// Returns the body of an action in a form that a task can run.
  func asynchronous(_ action: Int32) -> InTask {
    switch bodies[Int(action)] {
    case .synchronous(let call): InTask(call: { values, context in try call(values, context) }, isService: false)
    case .asynchronous(let body): InTask(call: body, isService: false)
    case .service(let body): InTask(call: body, isService: true)
    }
  }
}
