import FlowCommandKit
import FlowModel

/// Reads a JSON object from each line of the input and writes one line of JSON for each, in the same order. Blank and
/// invalid lines are also answered.
///
/// Answers are written as soon as no complete line is waiting, so that a program can send a line and wait for its
/// answer.
struct BatchSession {
  private var reader: LineReader
  private var output: [UInt8] = []

  /// The number of bytes of output after which it is written even if lines are waiting.
  private static let flushBytes = 1 << 16

  init() { reader = LineReader(limit: Limits.jsonBytes) }

  /// Returns the object on the next line, or an error if the line is invalid. Returns nil at the end of the input, or
  /// if output could not be written.
  mutating func next() -> Result<ValueObject, BatchProblem>? {
    if output.count >= Self.flushBytes || !reader.hasLineReady() { flush() }
    // If writing the output has failed, answers cannot be written, so no more lines are read.
    return StandardOutput.hasFailed ? nil : reader.next().map(Self.object)
  }

  mutating func answer(_ value: Value) {
    JSONText.append(value, to: &output)
    output.append(10)
  }

  mutating func flush() {
    guard !output.isEmpty else { return }
    StandardOutput.write(output)
    output.removeAll(keepingCapacity: true)
  }

  private static func object(_ line: LineReader.Line) -> Result<ValueObject, BatchProblem> {
    guard case .bytes(let bytes) = line else {
      return .failure(BatchProblem("the line is longer than \(Limits.jsonBytes >> 20) MiB"))
    }
    guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else {
      return .failure(BatchProblem("the line is empty; each line is one JSON object"))
    }
    do throws(JSONProblem) {
      guard case .object(let object) = try JSONText.parse(bytes) else {
        return .failure(BatchProblem("each line is one JSON object, this one is something else"))
      }
      return .success(object)
    } catch {
      let help = error.help.map { "; \($0)" } ?? ""
      return .failure(BatchProblem("the line is not JSON: column \(error.column): \(error.message)\(help)"))
    }
  }
}

/// The reason why a line of the input is invalid.
struct BatchProblem: Error {
  let message: String
  init(_ message: String) { self.message = message }
}
