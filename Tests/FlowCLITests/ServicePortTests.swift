import Foundation
import TestSupport
import Testing

/// Services that are ready when a port accepts connections. The tests run the real program.
@Suite(.timeLimit(.minutes(5)), .serialized) struct ServicePortTests {
  private let tool: CommandLineTool

  init() throws { tool = try CommandLineTool() }

  private static let server = "trap 'exit 0' TERM; echo up >> log; while :; do sleep 0.02; done"

  private func log() -> [String] { ((try? tool.text(of: "log")) ?? "").split(separator: "\n").map(String.init) }

  private func run(_ yaml: String, _ arguments: String...) throws -> CommandLineTool.Output {
    try tool.write(yaml, to: "w.yaml")
    return try tool.run(["w.yaml"] + arguments)
  }

  @Test func `a service is ready when its port is open, and fails if the port was already open`() throws {
    defer { tool.remove() }
    let listener = try LocalListener()
    defer { listener.close() }
    let taken = try run(
      """
      name: taken
      steps:
        db: { service: true, run: "\(Self.server)", ready-when: { port: \(listener.port) } }
      """)
    #expect(taken.exitCode == 1 && taken.standardOutput.contains("[address-in-use]"), "\(taken)")
    #expect(log().isEmpty)
    listener.close()
    let free = try run(
      """
      name: free
      steps:
        db:
          service: true
          shell: python
          run: |
            import http.server
            class Handler(http.server.BaseHTTPRequestHandler):
              def do_GET(self):
                self.send_response(302 if self.path == "/health" else 500)
                self.send_header("Location", "/elsewhere")
                self.end_headers()
            http.server.HTTPServer(("127.0.0.1", \(listener.port)), Handler).serve_forever()
          ready-when: { http: "http://127.0.0.1:\(listener.port)/health" }
        use: { run: echo used, needs: db }
      """)
    #expect(free.exitCode == 0 && free.standardOutput.contains("db ready, port \(listener.port) in"), "\(free)")
  }

  /// Returns a workflow with a service that listens at a port as soon as the file `go` exists.
  private static func lateListener(_ port: Int) -> String {
    """
    name: late
    steps:
      db:
        service: true
        shell: python
        run: |
          import http.server, os, time
          print("starting", flush=True)
          while not os.path.exists("go"): time.sleep(0.01)
          http.server.HTTPServer(("127.0.0.1", \(port)), http.server.SimpleHTTPRequestHandler).serve_forever()
        ready-when: { port: \(port), every: 10ms }
      use: { run: echo used, needs: db }

    """
  }

  #if os(Linux)
    @Test(arguments: [false, true])
    func `a service is not ready while its port is open in another program`(
      leavesInTime: Bool
    ) throws {
      defer { tool.remove() }
      let free = try LocalListener()
      free.close()
      try tool.write(Self.lateListener(free.port), to: "w.yaml")
      let process = try FlowrunProcess(["w.yaml"], in: tool.folder.path)
      #expect(process.waitForOutput("db: starting"))
      let other = try LocalListener(port: free.port)
      defer { other.close() }
      #expect(process.waitForOutput("(\(getpid())), which does not belong to"))
      if leavesInTime { other.close() }
      try tool.write("", to: "go")
      let result = process.result()
      #expect(result.exitCode == (leavesInTime ? 0 : 1), "\(result)")
      #expect(result.output.contains("db ready, port \(free.port) in") == leavesInTime, "\(result)")
      #expect(result.output.contains("[address-in-use]") != leavesInTime, "\(result)")
      #expect(result.output.contains("use: used") == leavesInTime, "\(result)")
    }
  #endif
}

/// A port of this machine that accepts connections.
private final class LocalListener {
  let port: Int
  private var file: Int32

  /// Listens at a port.
  ///
  /// - Parameter port: The port, or 0 for any free one.
  init(port: Int = 0) throws {
    #if canImport(Glibc)
      file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      file = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = file
    var reuses: Int32 = 1
    setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(number, pointer, size) == 0 && listen(number, 8) == 0 && getsockname(number, pointer, &size) == 0
      }
    }
    try #require(isBound)
    self.port = Int(UInt16(bigEndian: address.sin_port))
  }

  func close() {
    if file >= 0 { _ = Foundation.close(file) }
    file = -1
  }
}
