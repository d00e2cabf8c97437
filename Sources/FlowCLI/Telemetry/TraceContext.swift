import FlowSystem

/// The trace of a run according to W3C Trace Context, and the ids of the run's spans.
///
/// A span's id is a hash of its path. So an attempt can receive its id when it starts, although its span is created
/// only at the end of the run.
struct TraceContext: Sendable {
  /// The id of the trace, as 32 hexadecimal digits.
  let traceID: String
  /// The id of the span that started this process, as 16 hexadecimal digits, or nil if there is none.
  let parentID: String?
  /// The reason why the value in the environment is invalid, or nil if it is valid or missing.
  let problem: String?
  private let seed: String

  /// The environment variable by which OpenTelemetry passes a trace to a process.
  static let variable = "TRACEPARENT"

  /// Creates a context in the trace of `traceparent` or, if that is nil or invalid, in a new trace. `seed` must be
  /// different in each process.
  init(_ traceparent: String?, seed: String = String(UInt64.random(in: 0 ... .max))) {
    let parts = traceparent.flatMap(Self.parts)
    traceID = parts?.trace ?? String(Self.hash("trace", seed).prefix(32))
    parentID = parts?.parent
    problem =
      traceparent == nil || parts != nil
      ? nil
      : "\(Self.variable) is '\(Self.beginning(of: traceparent ?? ""))', expected 00-TRACE-PARENT-FLAGS in hexadecimal digits; "
        + "the run starts a new trace"
    self.seed = seed
  }

  /// The maximum number of characters of a value that a message shows. A valid value has 55, but future versions may
  /// have more.
  private static let mostShownCharacters = 80

  /// Returns the text. If it is too long to be shown, its end is cut off.
  private static func beginning(of text: String) -> String {
    text.count > mostShownCharacters ? text.prefix(mostShownCharacters) + "…" : text
  }

  var runID: String { spanID("", nil) }

  /// Returns the id of a span, as 16 hexadecimal digits. `path` is a step, an item, or a step in the workflow of an
  /// item, such as `convert[3]/read`. If `attempt` is not nil, the span is that of the attempt.
  func spanID(_ path: String, _ attempt: Int?) -> String {
    String(Self.hash("span", seed, path, attempt.map { "\($0)" } ?? "").prefix(16))
  }

  /// Returns the value of `TRACEPARENT` in the environment of an attempt.
  func traceparent(_ path: String, attempt: Int) -> String { "00-\(traceID)-\(spanID(path, attempt))-01" }

  private static func hash(_ parts: String...) -> String {
    var hash = SHA256()
    hash.combine(Array(parts.joined(separator: "\n").utf8))
    return hash.finish()
  }

  /// Parses a `traceparent` into the ids of the trace and of the parent. Returns nil if it is invalid.
  private static func parts(_ text: String) -> (trace: String, parent: String)? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    func isHexadecimal(_ part: String, _ count: Int) -> Bool {
      part.utf8.count == count && part.allSatisfy { ("0"..."9").contains($0) || ("a"..."f").contains($0) }
    }
    guard parts.count == 4 || parts.count > 4 && parts[0] != "00", parts[0] != "ff", isHexadecimal(parts[0], 2),
      isHexadecimal(parts[1], 32), isHexadecimal(parts[2], 16), isHexadecimal(parts[3], 2),
      parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
    else { return nil }
    return (parts[1], parts[2])
  }
}
