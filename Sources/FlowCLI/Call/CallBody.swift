import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSystem

/// Adapts the body of the called action to the step that calls it.
enum CallBody {
  /// Returns a body that calls the action once with these inputs.
  static func once(
    _ body: RegisteredAction.Body, _ inputs: ValueObject, _ fields: [FieldDeclaration]
  ) -> RegisteredAction.Body {
    switch body {
    case .synchronous(let run):
      .synchronous { _, context in try run(try InputBinding.bind(inputs, to: fields, run: context.run), context) }
    case .asynchronous(let run):
      .asynchronous { _, context in
        try await run(try InputBinding.bind(inputs, to: fields, run: context.run), context)
      }
    case .service(let run):
      .service { _, context in try await run(try InputBinding.bind(inputs, to: fields, run: context.run), context) }
    }
  }

  /// Returns a body in parts that calls the action once with these inputs.
  static func once(_ parts: BodyInParts, _ inputs: ValueObject, _ fields: [FieldDeclaration]) -> BodyInParts {
    BodyInParts { _, context, thread in
      try parts.begin(try InputBinding.bind(inputs, to: fields, run: context.run), context, thread)
    }
  }

  /// Returns a body that calls the action for each line of standard input and writes the answers to standard output.
  /// For a service, the body throws an error instead.
  static func forEachLine(_ body: RegisteredAction.Body, _ fields: [FieldDeclaration]) -> RegisteredAction.Body {
    switch body {
    case .synchronous(let run):
      return .synchronous { _, context in
        let inputs = LineInputs(fields: fields, run: context.run)
        var session = BatchSession()
        while !context.isCancelled, let line = session.next() {
          do {
            session.answer(CallAnswer.outputs(try run(try inputs.bound(line), context)))
          } catch {
            session.answer(CallAnswer.failure(error))
          }
        }
        session.flush()
        return [:]
      }
    case .asynchronous(let run):
      return .asynchronous { _, context in
        let inputs = LineInputs(fields: fields, run: context.run)
        var session = BatchSession()
        while !context.isCancelled, let line = session.next() {
          do {
            session.answer(CallAnswer.outputs(try await run(try inputs.bound(line), context)))
          } catch {
            session.answer(CallAnswer.failure(error))
          }
        }
        session.flush()
        return [:]
      }
    case .service:
      return .synchronous { _, _ in
        throw ActionError("service", "a service never returns; it cannot be called in a batch", isRetryable: false)
      }
    }
  }
}

/// Converts lines of input to the inputs of an action.
private struct LineInputs {
  let fields: [FieldDeclaration]
  let run: RunInformation
  private let here = FilePath.absolute(".")
  private let hasPaths: Bool

  init(fields: [FieldDeclaration], run: RunInformation) {
    self.fields = fields
    self.run = run
    hasPaths = fields.contains { $0.type.mayHoldPaths }
  }

  /// Returns the inputs on a line, checked and with absolute paths. Throws if the line is invalid.
  func bound(_ line: Result<ValueObject, BatchProblem>) throws -> ValueObject {
    var inputs = try line.get()
    if hasPaths {
      inputs = InputBinding.absolutePaths(in: inputs, of: fields, dataFolder: here, workflowFolder: here)
    }
    return try InputBinding.bind(inputs, to: fields, run: run)
  }
}

extension ValueType {
  /// True if values of this type may contain paths.
  fileprivate var mayHoldPaths: Bool {
    switch self {
    case .path: true
    case .array(let element): element.mayHoldPaths
    case .object(let properties?): properties.contains { $0.type.mayHoldPaths }
    default: false
    }
  }
}
