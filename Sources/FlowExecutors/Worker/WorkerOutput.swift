import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// What a worker says: lines of the protocol on standard output, whole ones only.
final class WorkerOutput: Sendable {
  private let file: CInt
  private let lock = Mutex(())
  /// Called once nobody reads any more.
  private let whenClosed: @Sendable () -> Void

  init(file: CInt = 1, whenClosed: @escaping @Sendable () -> Void) {
    self.file = file
    self.whenClosed = whenClosed
  }

  /// Writes a line, waiting for who reads.
  func write(_ message: Value) {
    var line = JSONText.bytes(of: message)
    line.append(UInt8(ascii: "\n"))
    let isWritten = lock.withLock { _ in
      line.withUnsafeBytes { bytes in
        var done = 0
        while done < bytes.count {
          let count = SystemCall.write(file, UnsafeRawBufferPointer(rebasing: bytes[done...]))
          if count <= 0 { return false }
          done += count
        }
        return true
      }
    }
    if !isWritten { whenClosed() }
  }

  /// A message without an answer.
  func notify(_ method: String, _ parameters: ValueObject) {
    write(["jsonrpc": "2.0", "method": .string(method), "params": .object(parameters)])
  }

  /// The answer to a request.
  func answer(_ id: Int, _ result: Value) { write(["jsonrpc": "2.0", "id": .integer(id), "result": result]) }

  /// The answer to a request that failed.
  func refuse(_ id: Int, _ error: any Error) {
    var data: ValueObject = [:]
    let code: String
    let message: String
    switch error {
    case let error as ActionError:
      (code, message) = (error.code, error.message)
      if let isRetryable = error.isRetryable { data["retryable"] = .boolean(isRetryable) }
      if let pause = error.retryAfter { data["retryAfterMilliseconds"] = .integer(pause.nanoseconds / 1_000_000) }
    case let error as TypeMismatch:
      (code, message) = ("input", "input \(error.description)" + (error.help.map { "; \($0)" } ?? ""))
      data["retryable"] = false
    case is CancellationError: (code, message) = ("cancelled", "the step was cancelled")
    default: (code, message) = ("error", "\(error)")
    }
    write([
      "jsonrpc": "2.0", "id": .integer(id),
      "error": ["code": .string(code), "message": .string(message), "data": .object(data)],
    ])
  }
}
