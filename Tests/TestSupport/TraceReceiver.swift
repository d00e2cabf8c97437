import Foundation

/// A receiver of OpenTelemetry traces that follows the published protocol. It parses requests with the package
/// `opentelemetry-proto` and stores their contents. It stops when this object is released.
public final class TraceReceiver: Sendable {
  /// The address of the receiver. The next part of the path selects its answer: `ok`, `reject` (rejects two spans of
  /// each request), `busy` (503 to the first request), `negative` (503 and `Retry-After: -5`), `error` (400), `silent`
  /// (no answer) or `wrong` (an answer that is not HTTP).
  public let address: String
  private let folder: String
  private let program: BackgroundProgram

  private static let environment = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../.build/test-traces").standardizedFileURL.path

  /// True if the package is installed, which `scripts/setup test` tries to do.
  public static let isInstalled = FileManager.default.fileExists(atPath: environment + "/complete")

  private static let script = #"""
    import http.server, json, os, sys, time
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service

    folder = sys.argv[1]
    busy = [True]

    def texts(attributes):
        return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in attributes}

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            mode = self.path.split("/")[1]
            if mode == "silent":
                time.sleep(60)
            if mode == "wrong":
                self.wfile.write(b"220 mail.example.com\r\n\r\n")
                self.close_connection = True
                return
            status = 200
            if mode == "busy" and busy:
                busy.pop()
                status = 503
            if mode == "negative":
                status = 503
            if mode == "error" or self.headers["Content-Type"] != "application/x-protobuf":
                status = 400
            if not self.path.endswith("/v1/traces"):
                status = 404
            request = service.ExportTraceServiceRequest.FromString(body)
            answer = service.ExportTraceServiceResponse()
            if mode == "reject":
                answer.partial_success.rejected_spans = 2
                answer.partial_success.error_message = "too many"
            if status == 200:
                with open(folder + "/spans", "a") as file:
                    for resource in request.resource_spans:
                        for scope in resource.scope_spans:
                            for span in scope.spans:
                                file.write(json.dumps({
                                    "resource": texts(resource.resource.attributes), "trace": span.trace_id.hex(),
                                    "id": span.span_id.hex(), "parent": span.parent_span_id.hex(), "name": span.name,
                                    "kind": span.kind, "start": span.start_time_unix_nano,
                                    "end": span.end_time_unix_nano, "attributes": texts(span.attributes),
                                    "status": span.status.code, "message": span.status.message,
                                    "events": [{"name": e.name, "at": e.time_unix_nano,
                                                "attributes": texts(e.attributes)} for e in span.events],
                                    "exact": request.SerializeToString() == body,
                                }) + "\n")
            bytes = answer.SerializeToString()
            self.send_response(status)
            if mode == "negative":
                self.send_header("Retry-After", "-5")
            self.send_header("Content-Length", str(len(bytes)))
            self.end_headers()
            self.wfile.write(bytes)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with open(folder + "/port.new", "w") as file:
        file.write(str(server.server_port))
    os.rename(folder + "/port.new", folder + "/port")
    server.serve_forever()
    """#

  /// Starts the receiver on a free port.
  public init() throws {
    folder = "/tmp/flowrun-traces-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.script.write(toFile: folder + "/receiver.py", atomically: true, encoding: .utf8)
    program = try BackgroundProgram(
      ["\(Self.environment)/bin/python", folder + "/receiver.py", folder], log: folder + "/log")
    let limit = Date.now + 30
    var port: String?
    while port == nil, Date.now < limit {
      usleep(5_000)
      port = try? String(contentsOfFile: folder + "/port", encoding: .utf8)
    }
    guard let port else {
      throw Database.Failure(output: (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "")
    }
    address = "http://127.0.0.1:\(port)"
  }

  /// The spans accepted so far, one JSON object per line.
  public var spans: [String] {
    let text = (try? String(contentsOfFile: folder + "/spans", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}
