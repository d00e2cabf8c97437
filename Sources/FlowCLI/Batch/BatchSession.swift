import FlowCommandKit
import FlowModel

/// A batch: one JSON object a line in, exactly one JSON line out for each, in order; blank and broken lines are answered
/// too.
///
/// Answers go out as soon as no further line is waiting, so that a program may ask and read in turn.
struct BatchSession {
  private var reader: LineReader
  private var output: [UInt8] = []

  /// The largest output that is kept back while lines are waiting.
  private static let flushBytes = 1 << 16

  /// A batch from standard input to standard output.
  init() { reader = LineReader(limit: Limits.jsonBytes) }

  /// The object of the next line, or what is wrong with that line; nil at the end.
  mutating func next() -> Result<ValueObject, BatchProblem>? {
    if output.count >= Self.flushBytes || !reader.hasLineReady() { flush() }
    // The answer would not be read.
    return StandardOutput.hasFailed ? nil : reader.next().map(Self.object)
  }

  /// Answers the line that was read last.
  mutating func answer(_ value: Value) {
    JSONText.append(value, to: &output)
    output.append(10)
  }

  /// Sends what has been answered.
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

/// A line of a batch that is not a question.
struct BatchProblem: Error {
  let message: String
  init(_ message: String) { self.message = message }
}
