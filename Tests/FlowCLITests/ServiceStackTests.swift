import FlowTestKit
import Foundation
import TestSupport
import Testing

/// A stack of three services for development that is stopped or killed at random times. The tests run the real program.
@Suite(.timeLimit(.minutes(10)), .serialized) struct ServiceStackTests {
  private let tool: CommandLineTool

  init() throws { tool = try CommandLineTool() }

  private static let names = ["db", "api", "web"]

  /// Returns a stack of services. Their processes ignore SIGTERM and have `mark` in their arguments.
  private static func stack(_ mark: String) -> String {
    let services = names.enumerated().map { index, name in
      """
        \(name):
          service: true
          needs: [\(names[..<index].suffix(1).joined())]
          run: |
            trap '' TERM
            echo $$ > \(name).pid
            sleep \(mark) &
            echo ready
            while :; do sleep \(mark); done
          ready-when: { log: ready }
          restart: { on-exit: failure, delay: 10ms }
          stop: { within: 50ms }
      """
    }
    return """
      name: stack
      keep: services
      steps:
      \(services.joined(separator: "\n"))
        test: { run: echo tested, needs: web }

      """
  }

  @Test(arguments: TestExtent.seeds(3, of: 50, release: 20))
  func `stopping or killing a run ends all processes of its services, and the services can start again`(seed: UInt64)
    throws
  {
    defer { tool.remove() }
    var random = SeededGenerator(seed: seed)
    let mark = "\(70_000_000 + seed).\(getpid())"
    try tool.write(Self.stack(mark), to: "w.yaml")
    let started = Int.random(in: 1...4, using: &random)
    let process = try FlowrunProcess(["w.yaml"], in: tool.folder.path)
    #expect(process.waitForOutput(started > 3 ? "test succeeded" : "\(Self.names[started - 1]) ready"))
    if Bool.random(using: &random) {
      let name = Self.names[Int.random(in: 0..<min(started, 3), using: &random)]
      let number = try tool.text(of: "\(name).pid").trimmingCharacters(in: .whitespacesAndNewlines)
      kill(try #require(pid_t(number)), SIGKILL)
      if Bool.random(using: &random) { #expect(process.waitForOutput("it is started again")) }
    }
    process.send([SIGINT, SIGTERM, SIGKILL, SIGKILL].randomElement(using: &random)!)
    _ = process.result()
    let survivors = SignalTests.awaitEnd(of: mark)
    #expect(survivors.isEmpty, "\(survivors)")

    let next = try FlowrunProcess(["w.yaml"], in: tool.folder.path)
    #expect(next.waitForOutput("test succeeded"))
    next.send(SIGINT)
    #expect(next.result().exitCode == 0)
    #expect(SignalTests.awaitEnd(of: mark).isEmpty)
  }
}
