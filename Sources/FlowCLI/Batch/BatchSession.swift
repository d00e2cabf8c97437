import FlowCommandKit
import FlowModel

/// A batch: each input line is a JSON object and gets one JSON line as its answer, in order. Blank and invalid lines
/// are answered, too.
///
/// Answers are written when no complete line is waiting, so a program can send a line and wait for its answer.
struct BatchSession {
  private var reader: LineReader
  private var output: [UInt8] = []

  /// The size at which output is written even while lines are waiting.
  private static let flushBytes = 1 << 16

  /// Creates a batch from standard input to standard output.
  init() { reader = LineReader(limit: Limits.jsonBytes) }

  /// Returns the object on the next line, or an error for an invalid line, or nil at the end.
  mutating func next() -> Result<ValueObject, BatchProblem>? {
    if output.count >= Self.flushBytes || !reader.hasLineReady() { flush() }
    // An answer would not be read.
    return StandardOutput.hasFailed ? nil : reader.next().map(Self.object)
  }

  mutating func answer(_ value: Value) {
    JSONText.append(value, to: &output)
    output.append(10)
  }

  /// Writes the collected answers.
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

/// An error for an invalid line of a batch.
struct BatchProblem: Error {
  let message: String
  init(_ message: String) { self.message = message }
}
