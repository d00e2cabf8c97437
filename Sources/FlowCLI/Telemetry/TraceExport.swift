import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// Sends the spans of a finished run within ``patience``. If this fails, the result of the run stays the same, and a
/// warning reports how many spans were not sent.
final class TraceExport: Sendable {
  /// The maximum delay of a run's end while spans are sent.
  static let patience = Duration.seconds(2)
  static let spansPerRequest = 500
  /// The maximum number of spans that are sent for a run.
  static let limit = 100_000
  /// The pauses before a request is repeated if the server asks for that.
  static let pauses: [Duration] = [.milliseconds(100), .milliseconds(400)]

  private struct State {
    var taken = 0
    var problem: String?
  }

  private let server: TraceServer
  /// The deadline of all requests. It is a little before the end of the wait for them, so that the reason can still be
  /// reported.
  private let deadline: ContinuousClock.Instant
  private let state = Mutex(State())
  private let ending: Descriptor.Pipe

  private init(_ server: TraceServer, by deadline: ContinuousClock.Instant) throws(SystemError) {
    self.server = server
    self.deadline = deadline - .milliseconds(50)
    ending = try Descriptor.pipe()
  }

  /// Sends the spans. Returns a warning, or nil if the server has accepted all of them.
  static func send(_ spans: RunSpans, _ context: TraceContext, to server: TraceServer) -> String? {
    let deadline = ContinuousClock.now + patience
    let count = spans.count
    let reason: String
    var taken = 0
    do throws(SystemError) {
      let export = try TraceExport(server, by: deadline)
      // A host name lookup has no deadline. Therefore, a separate thread sends the spans, which can continue after this
      // function has returned.
      try DetachedThread.start(name: "traces") { export.send(spans, context.traceID) }
      export.wait()
      let state = export.state.withLock { $0 }
      taken = state.taken
      reason = state.problem ?? "the \(DurationText.format(patience)) for it had passed"
    } catch {
      reason = error.description
    }
    let dropped = count - taken
    return dropped == 0 ? nil : "\(dropped) of the run's \(count) spans did not reach \(server.url): \(reason)"
  }

  /// Waits until everything has been sent or the deadline has passed.
  private func wait() {
    let left = ContinuousClock.now.duration(to: deadline + .milliseconds(50)).components
    var watched = pollfd(fd: ending.reading.number, events: Int16(POLLIN), revents: 0)
    let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
    _ = poll(&watched, 1, CInt(clamping: max(0, milliseconds)))
  }

  private func send(_ spans: RunSpans, _ traceID: String) {
    let resource: ValueObject = ["service.name": "flowrun", "service.version": .string(Release.version)]
    var (part, made) = ([TraceSpan](), 0)
    var problem: String?
    func flush() {
      guard problem == nil, !part.isEmpty else { return }
      problem = send(TraceSpan.request(part, traceID: traceID, resource: resource), of: part.count)
      part = []
    }
    spans.forEach { span in
      guard made < Self.limit else {
        flush()
        problem = problem ?? "\(Self.limit) spans of a run are sent"
        return false
      }
      part.append(span)
      made += 1
      if part.count == Self.spansPerRequest { flush() }
      return problem == nil && ContinuousClock.now < deadline
    }
    flush()
    if let problem { state.withLock { $0.problem = $0.problem ?? problem } }
    _ = ending.writing.send([1])
  }

  /// Sends a request and repeats it if the server asks for that. Returns the reason if it has failed, or nil.
  private func send(_ body: [UInt8], of count: Int) -> String? {
    let headers = [("Content-Type", "application/x-protobuf"), ("User-Agent", "flowrun/\(Release.version)")]
    let request = PlainRequest(
      host: server.host, port: server.port, path: server.path, headers: headers + server.headers, body: body)
    var pauses = Self.pauses[...]
    while true {
      let answer: PlainRequest.Answer
      do throws(PlainRequest.RequestProblem) {
        answer = try send(request)
      } catch {
        return error.description
      }
      switch answer.status {
      case 200..<300:
        let rejected = TraceSpan.rejected(in: answer.body)
        state.withLock { state in
          state.taken += count - min(count, rejected.count)
          if rejected.count > 0 { state.problem = "the server rejected them: \(rejected.message)" }
        }
        return nil
      case 429, 502, 503, 504:
        let pause = answer.retryAfterSeconds.map { .seconds($0) } ?? pauses.first
        guard pauses.popFirst() != nil, let pause, ContinuousClock.now + pause < deadline else { fallthrough }
        // The server may ask for a pause of negative length.
        usleep(UInt32(max(0, pause.nanoseconds / 1000)))
      default: return "the server answered \(answer.status)"
      }
    }
  }

  private func send(_ request: PlainRequest) throws(PlainRequest.RequestProblem) -> PlainRequest.Answer {
    #if Network
      if server.isSecure { return try SecureRequest.send(request, to: server.url, by: deadline) }
    #endif
    return try request.send(by: deadline)
  }
}
