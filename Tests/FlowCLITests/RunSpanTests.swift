import FlowCommandKit
import FlowModel
import Testing

@testable import FlowCLI

struct `Spans of a run` {
  private static let given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  @Test func `spans join the trace in the environment`() {
    let context = TraceContext(Self.given, seed: "1")
    #expect(context.traceID == "0af7651916cd43dd8448eb211c80319c")
    #expect(context.parentID == "b7ad6b7169203331")
    #expect(context.problem == nil)
    // A later version of the format may have more parts.
    #expect(TraceContext("01" + Self.given.dropFirst(2) + "-more", seed: "1").parentID == "b7ad6b7169203331")
  }

  @Test(
    arguments: [
      "", "00", "00-0-0-01", given.uppercased(), given + "-more", "ff" + given.dropFirst(2),
      "00-00000000000000000000000000000000-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
      "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
    ]) func `an invalid trace in the environment is reported, and spans begin a new trace`(text: String)
  {
    let context = TraceContext(text, seed: "1")
    #expect(context.traceID.count == 32 && context.parentID == nil)
    #expect(context.problem?.hasPrefix("TRACEPARENT is '\(text)', expected 00-") == true)
  }

  @Test func `the ids of spans are known before spans are created, and differ between processes`() {
    let context = TraceContext(nil, seed: "1")
    #expect(context.problem == nil)
    #expect(context.traceparent("a", attempt: 2) == "00-\(context.traceID)-\(context.spanID("a", 2))-01")
    let ids = [context.runID] + ["a", "a[1]", "b"].flatMap { path in [nil, 1, 2].map { context.spanID(path, $0) } }
    #expect(Set(ids).count == ids.count && ids.allSatisfy { $0.count == 16 })
    #expect(TraceContext(nil, seed: "2").traceID != context.traceID)
    #expect(TraceContext(Self.given, seed: "2").spanID("a", 1) != TraceContext(Self.given, seed: "1").spanID("a", 1))
  }

  private func spans(_ account: RunAccount) -> [TraceSpan] {
    let all = RunSpans(account, TraceContext(Self.given, seed: "1"))
    var spans: [TraceSpan] = []
    all.forEach { span in
      spans.append(span)
      return true
    }
    #expect(spans.count == all.count)
    return spans
  }

  /// Returns a line for each span: its parent's name, its name, its times in milliseconds after the activation, and its
  /// error, if any.
  private func lines(_ account: RunAccount) -> [String] {
    let spans = spans(account)
    let names = Dictionary(uniqueKeysWithValues: spans.map { ($0.id, $0.facts.name) })
    func time(_ nanoseconds: Int) -> String { "\((nanoseconds - account.activatedAtNanoseconds) / 1_000_000)" }
    return spans.map { span in
      let parent = span.parentID.map { names[$0] ?? "outside" } ?? "none"
      return "\(parent) > \(span.facts.name) \(time(span.startNanoseconds))-\(time(span.endNanoseconds))"
        + (span.facts.error.map { " ! \($0)" } ?? "")
    }
  }

  @Test func `spans represent the run, its steps, and their items and attempts`() throws {
    let account = try RunAccountExample.account(
      "failure",
      [
        "fetch": RunAccountExample.step("success", 5, 250),
        "test": RunAccountExample.step(
          "failure", 250, 1234, attempts: 2, error: ("e", "no"),
          [
            "attemptTimes": [["startedAt": 250, "endedAt": 400], ["startedAt": 500, "endedAt": 1234]]
          ]),
        "each": RunAccountExample.step("success", 0, 9, ["items": [RunAccountExample.item(0, "success")]]),
        "publish": RunAccountExample.step("skipped", nil, 1234, attempts: 0, ["reason": "upstream-failed"]),
      ])
    #expect(
      lines(account) == [
        "outside > build 0-1234 ! the run failed",
        "build > fetch 5-250", "fetch > fetch attempt 1 5-250",
        "build > test 250-1234 ! no", "test > test attempt 1 250-400 ! the attempt failed",
        "test > test attempt 2 500-1234 ! no",
        "build > each 0-9", "each > each[0] 1-2", "each[0] > each[0] attempt 1 1-2",
      ])
  }

  @Test func `the opening of the gate is an event in the span of the run`() throws {
    let account = try RunAccountExample.account(
      "success", [:], gate: ["outcome": "timed-out", "openedAt": 700.5, "max": 700])
    let run = try #require(spans(account).first)
    let gate = try #require(run.events.first)
    #expect(gate.facts.name == "gate opened" && gate.facts.attributes == ["flowrun.gate.outcome": "timed-out"])
    #expect(gate.atNanoseconds == account.activatedAtNanoseconds + 700_500_000)
    let attributes = run.facts.attributes
    #expect(attributes["cicd.pipeline.result"] == "success" && attributes["cicd.pipeline.run.id"] == "0f8c")
  }

  @Test func `spans of a resumed run exclude those that the earlier process has sent`() throws {
    var account = try RunAccountExample.account(
      "success",
      [
        "kept": RunAccountExample.step("success", 0, 100),
        "again": RunAccountExample.step(
          "success", 50, 900, attempts: 2,
          ["attemptTimes": [["startedAt": 50, "endedAt": 100], ["startedAt": 600, "endedAt": 900]]]),
      ])
    account.resumedAt = 500
    #expect(
      lines(account) == [
        "outside > build 500-1234", "build > again 500-900", "again > again attempt 2 600-900",
      ])
  }

  @Test func `spans are created one at a time until the receiver stops`() throws {
    let items = Value.array((0..<4).map { RunAccountExample.item($0, "success") })
    let account = try RunAccountExample.account(
      "success", ["each": RunAccountExample.step("success", 0, 9, ["items": items])])
    for limit in 1...10 {
      var made = 0
      RunSpans(account, TraceContext(nil, seed: "1")).forEach { _ in
        made += 1
        return made < limit
      }
      #expect(made == limit)
    }
  }

  @Test func `spans that the server rejects are counted`() {
    // ExportTraceServiceResponse { partial_success { rejected_spans: 300, error_message: "full" } }
    let full = Array("full".utf8)
    let answer = TraceSpan.rejected(in: [0x0A, 0x09, 0x08, 0xAC, 0x02, 0x12, 0x04] + full)
    #expect(answer.count == 300 && answer.message == "full")
    #expect(TraceSpan.rejected(in: []).count == 0)
    #expect(TraceSpan.rejected(in: Array("not found".utf8)).count == 0)
    #expect(TraceSpan.rejected(in: [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]).count == 0)
  }

  @Test func `the address of a collector is completed with the path for traces`() throws {
    #expect(try TraceServer("http://127.0.0.1:4318").url == "http://127.0.0.1:4318/v1/traces")
    #expect(try TraceServer("http://[::1]:4318/otlp/").url == "http://[::1]:4318/otlp/v1/traces")
    #expect(try TraceServer("http://collector/v1/traces").url == "http://collector:80/v1/traces")
  }

  @Test func `headers are parsed in the format of OTEL_EXPORTER_OTLP_HEADERS`() throws {
    let server = try TraceServer("http://a", headers: "x-key=a%20b%3D, other = c=d")
    #expect(server.headers.map(\.name) == ["x-key", "other"] && server.headers.map(\.value) == ["a b=", "c=d"])
    #expect(try TraceServer("http://a", headers: nil).headers.isEmpty)
  }

  @Test(arguments: ["key", "=v", "k=%0d%0aInjected: x", "k=%4", "k: x=v", "a=b,c"])
  func `an invalid header is rejected, and its value is not shown`(text: String) throws {
    let problem = #expect(throws: UsageProblem.self) { try TraceServer("http://a", headers: text) }
    #expect(problem?.description.contains("OTEL_EXPORTER_OTLP_HEADERS: '") == true)
    #expect(problem?.description.contains("Injected") == false)
  }

  @Test(arguments: ["host", "Content-Length", "content-type", "Transfer-Encoding", "connection", "User-Agent"])
  func `headers that flowrun sets itself are rejected`(name: String) throws {
    let problem = #expect(throws: UsageProblem.self) { try TraceServer("http://a", headers: "x-key=a,\(name)=1") }
    #expect(
      problem?.description == "OTEL_EXPORTER_OTLP_HEADERS: flowrun sets '\(name)' itself; leave it out")
  }

  @Test(arguments: ["http://user:s3cr3t@a:4318", "https://user:s3cr3t@a?x", "http://:s3cr3t@a"])
  func `a password in the address of a collector is never shown`(text: String) throws {
    let problem = #expect(throws: UsageProblem.self) { try TraceServer(text) }
    #expect(problem?.description.contains("s3cr3t") == false, "\(problem?.description ?? "")")
  }

  @Test func `only the beginning of a long invalid TRACEPARENT is shown`() {
    let problem = TraceContext(String(repeating: "x", count: 100_000), seed: "1").problem ?? ""
    #expect(problem.count < 250 && problem.contains("xx…'"), "\(problem.prefix(300))")
  }

  @Test(
    arguments: [
      "", "collector:4318", "http://", "http://:4318", "http://a:0", "http://a:65536", "http://a:x", "http://u:p@a",
      "http://a/?q", "ftp://a", "http://a b", "http://[::1", "grpc://a:4317",
    ]) func `an invalid collector address is rejected`(text: String)
  {
    #expect(throws: UsageProblem.self) { try TraceServer(text) }
  }
}
