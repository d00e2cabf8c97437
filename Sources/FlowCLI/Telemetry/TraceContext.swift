import FlowSystem

/// The trace that a run belongs to, as W3C Trace Context names it, and the ids of the run's spans.
///
/// Ids are hashes of what they name, so that an attempt can be given the id of a span that is made when the run has ended.
struct TraceContext: Sendable {
  /// The trace: 32 hexadecimal digits.
  let traceID: String
  /// The span that started this process: 16 hexadecimal digits; nil: none.
  let parentID: String?
  /// Why what the environment says is not used; nil: it is, or says nothing.
  let problem: String?
  private let seed: String

  /// The variable of the environment, named as OpenTelemetry's specification of environment transports has it.
  static let variable = "TRACEPARENT"

  /// The trace that `traceparent` names, else a new one; `seed` is different for each process.
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

  /// A valid value has 55 characters, and later versions may have some more.
  private static let mostShownCharacters = 80

  /// The beginning of a text that may be of any length.
  private static func beginning(of text: String) -> String {
    text.count > mostShownCharacters ? text.prefix(mostShownCharacters) + "…" : text
  }

  /// The id of the run's own span.
  var runID: String { spanID("", nil) }

  /// The id of the span of a step, an item or a step of an item's workflow, such as `convert[3]/read`, or of one of its
  /// attempts: 16 hexadecimal digits.
  func spanID(_ path: String, _ attempt: Int?) -> String {
    String(Self.hash("span", seed, path, attempt.map { "\($0)" } ?? "").prefix(16))
  }

  /// What an attempt finds in its environment.
  func traceparent(_ path: String, attempt: Int) -> String { "00-\(traceID)-\(spanID(path, attempt))-01" }

  private static func hash(_ parts: String...) -> String {
    var hash = SHA256()
    hash.combine(Array(parts.joined(separator: "\n").utf8))
    return hash.finish()
  }

  /// The trace and the parent in a `traceparent`; nil: it is not one.
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
