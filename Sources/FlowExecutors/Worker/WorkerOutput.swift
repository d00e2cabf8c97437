import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// Writes complete lines of the protocol to the worker's standard output.
///
/// A message that is not an answer is delayed briefly, so that it can be sent together with an answer. Otherwise a
/// network may hold back a second small packet until the first is acknowledged, which takes 40 ms. If no answer follows
/// in time, the message requests a receipt, whose packet carries the acknowledgement without delay.
final class WorkerOutput: Sendable {
  private let file: CInt
  private let state = Mutex(State())
  /// Called when the reader has closed the output.
  private let whenClosed: @Sendable () -> Void

  private struct State {
    /// The lines that wait to be sent together with an answer.
    var waiting: [UInt8] = []
    /// True if a task will write the delayed lines.
    var isFlushPlanned = false
    var asksForReceipts = false
  }

  /// The maximum delay of a line.
  private static let patience = Duration.milliseconds(4)
  /// The number of bytes at which delayed lines are written immediately.
  private static let waitingBytes = 64 << 10

  init(file: CInt = 1, whenClosed: @escaping @Sendable () -> Void) {
    self.file = file
    self.whenClosed = whenClosed
  }

  /// Writes a line and all delayed lines, blocking while the pipe is full. If `mayWait` is true, the line may be
  /// delayed instead.
  private func write(_ message: Value, mayWait: Bool) {
    var line = JSONText.bytes(of: message)
    line.append(UInt8(ascii: "\n"))
    var plansFlush = false
    let isWritten = state.withLock { state in
      state.waiting += line
      guard mayWait, state.waiting.count < Self.waitingBytes else { return writeWaiting(&state) }
      plansFlush = !state.isFlushPlanned
      state.isFlushPlanned = true
      return true
    }
    if !isWritten { whenClosed() }
    if plansFlush {
      Task.detached { [self] in
        try? await Task.sleep(for: Self.patience)
        let isWritten = state.withLock { state in
          state.isFlushPlanned = false
          if state.asksForReceipts, !state.waiting.isEmpty { state.waiting += Self.receipt }
          return writeWaiting(&state)
        }
        if !isWritten { whenClosed() }
      }
    }
  }

  private func writeWaiting(_ state: inout State) -> Bool {
    defer { state.waiting.removeAll(keepingCapacity: state.waiting.count <= Self.waitingBytes) }
    return state.waiting.withUnsafeBytes { SystemCall.writeAll(file, $0) } == 0
  }

  /// Starts to request receipts for delayed lines that no answer follows.
  func askForReceipts() { state.withLock { $0.asksForReceipts = true } }

  private static let receipt = Array(#"{"jsonrpc":"2.0","method":"receipt"}"#.utf8) + [UInt8(ascii: "\n")]

  /// Writes the delayed lines. Called before the process ends.
  func flush() { _ = state.withLock { writeWaiting(&$0) } }

  /// Sends a notification, which needs no answer and may be delayed.
  func notify(_ method: String, _ parameters: ValueObject) {
    write(["jsonrpc": "2.0", "method": .string(method), "params": .object(parameters)], mayWait: true)
  }

  func answer(_ id: Int, _ result: Value) { send(Self.answer(id, result)) }

  func refuse(_ id: Int, _ error: any Error) { send(Self.refusal(id, error)) }

  func send(_ answer: Value) { write(answer, mayWait: false) }

  /// Returns the message with the result of a request.
  static func answer(_ id: Int, _ result: Value) -> Value {
    ["jsonrpc": "2.0", "id": .integer(id), "result": result]
  }

  /// Returns the message with the error of a failed request.
  static func refusal(_ id: Int, _ error: any Error) -> Value {
    var data: ValueObject = [:]
    let code: String
    let message: String
    switch error {
    case let error as ActionError:
      (code, message) = (error.code, error.message)
      if let isRetryable = error.isRetryable { data["retryable"] = .boolean(isRetryable) }
      if let status = error.exitStatus { data["exitStatus"] = .integer(status) }
      if let pause = error.retryAfter { data["retryAfterMilliseconds"] = .integer(pause.nanoseconds / 1_000_000) }
    case let error as TypeMismatch:
      (code, message) = ("input", "input \(error.description)" + (error.help.map { "; \($0)" } ?? ""))
      data["retryable"] = false
    case is CancellationError: (code, message) = ("cancelled", "the step was cancelled")
    default: (code, message) = ("error", "\(error)")
    }
    return [
      "jsonrpc": "2.0", "id": .integer(id),
      "error": ["code": .string(code), "message": .string(message), "data": .object(data)],
    ]
  }
}
