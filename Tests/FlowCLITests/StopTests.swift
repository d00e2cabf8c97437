import Foundation
import TestSupport
import Testing

/// The signals that stop commands, and the time limit for cleanup.
@Suite(.timeLimit(.minutes(10))) struct StopTests {
  private func output(_ yaml: String, _ arguments: String...) throws -> CommandLineTool.Output {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(yaml, to: "w.yaml")
    return try tool.run(arguments.isEmpty ? ["w.yaml"] : arguments)
  }

  @Test func `a command receives its step's stop signal, and is reported if it must be killed`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let wait = "while :; do sleep 0.01; done"
    try tool.write(
      """
      name: s
      defaults: { stop: { within: 100ms } }
      steps:
        kind: { run: "trap 'echo asked; exit 0' INT; echo ready; \(wait)", stop: { signal: INT, within: 1m } }
        deaf: { run: "trap '' TERM; echo ready; \(wait)" }
        plain: { uses: flow.noop }
      """, to: "w.yaml")
    let process = try FlowrunProcess(["w.yaml"], in: tool.folder.path)
    // Otherwise, a signal could arrive before the shell has set its trap.
    #expect(process.waitForOutput("kind: ready\n") && process.waitForOutput("deaf: ready\n"))
    process.send(SIGTERM)
    let result = process.result()
    #expect(result.exitCode == 143 && result.output.contains("kind: asked\n"), "\(result)")
    #expect(
      result.output.contains(
        "deaf: warning: 'trap '' TERM; echo ready; \(wait)' had not ended 100ms after SIGTERM and was killed\n"),
      "\(result)")
    #expect(!result.output.contains("kind: warning"), "\(result)")
  }

  @Test func `the cleanup of a cancelled run can take as long as the workflow allows`() throws {
    let result = try output(
      """
      name: c
      timeout: 100ms
      cleanup: 7s
      steps: { wait: { run: sleep 30 } }
      finally: { slow: { run: sleep 30 }, quick: { run: echo tidied } }
      """)
    #expect(result.exitCode == 1 && result.standardOutput.contains("quick: tidied\n"), "\(result)")
    // The step starts shortly after the time limit begins, and a busy machine may be slow. The default is 5 s.
    let cancelled = try #require(result.standardOutput.firstMatch(of: #/slow cancelled in (\d+(?:\.\d+)?) (m?s)/#))
    let milliseconds = try #require(Double(cancelled.1)) * (cancelled.2 == "s" ? 1000 : 1)
    #expect(milliseconds > 6000, "\(result)")
  }

  @Test func `finally of a cancelled item can take as long as the cleanup limit of the item's file`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: items
      cleanup: 60s
      inputs: { n: { type: integer } }
      steps: { check: { run: '[ "$N" != 1 ]', env: { N: "${{ inputs.n }}" } } }
      finally:
        tidy:
          # The first item fails while the second one cleans up, longer than a cancelled body usually has.
          run: '[ "$N" = 1 ] && until [ -e begun ]; do sleep 0.01; done || { touch begun; sleep 3; touch ended; }'
          env: { N: "${{ inputs.n }}" }
      """, to: "item.yaml")
    try tool.write(
      "name: w\nsteps: { fan: { foreach: [1, 2], uses: ./item.yaml, with: { n: '${{ item }}' } } }\n", to: "w.yaml")
    let result = try tool.run("w.yaml")
    #expect(result.exitCode == 1 && result.standardOutput.contains("fan[1] 2 cancelled"), "\(result)")
    #expect(FileManager.default.fileExists(atPath: tool.folder.appendingPathComponent("ended").path), "\(result)")
    #expect(!(result.standardOutput + result.standardError).contains("had left running"), "\(result)")
  }

  /// A command that stops slowly and then prints a line.
  private static let slow =
    "trap 'sleep 1; echo stopped >> log; exit 0' TERM; echo up >> log; while :; do sleep 0.01; done"

  @Test(arguments: [
    "steps: { slow: { run: *slow } }\nfinally: { tidy: { run: echo tidied >> log } }",
    "steps: { slow: { run: *slow }, tidy: { run: echo tidied >> log, needs: slow, if: always() } }",
    "steps: { slow: { run: *slow }, tidy: { run: echo tidied >> log, needs: part, if: cancelled() }, part: { needs: slow, uses: flow.noop } }",
    "steps: { slow: { foreach: [1], run: *slow } }\nfinally: { tidy: { run: echo tidied >> log } }",
    "steps: { part: { uses: ./part.yaml } }",
    "steps: { part: { uses: ./part.yaml, foreach: [1] } }",
  ])
  func `the cleanup starts when all cancelled commands have ended`(steps: String) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let defaults = "cleanup: 1m\ndefaults: { stop: { within: 1m } }\n"
    try tool.write(
      "name: part\n\(defaults)steps: { slow: { run: \"\(Self.slow)\" } }\nfinally: { tidy: { run: echo tidied >> log } }\n",
      to: "part.yaml")
    try tool.write(
      "name: w\n\(defaults)" + steps.replacingOccurrences(of: "*slow", with: "\"\(Self.slow)\"") + "\n", to: "w.yaml")
    let process = try FlowrunProcess(["w.yaml"], in: tool.folder.path)
    func log() -> [String] {
      let text = try? String(contentsOf: tool.folder.appendingPathComponent("log"), encoding: .utf8)
      return (text ?? "").split(separator: "\n").map(String.init)
    }
    #expect(within(seconds: 60) { log() == ["up"] })
    process.send(SIGTERM)
    let result = process.result(limitSeconds: 60)
    #expect(result.exitCode == 143 && log() == ["up", "stopped", "tidied"], "\(result)")
  }

  @Test func `finally of an included file starts when a timed-out command of the file has ended`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: part
      defaults: { stop: { within: 1m } }
      steps:
        inner: { uses: ./inner.yaml, optional: true }
      finally: { tidy: { run: echo tidied >> log } }
      """, to: "part.yaml")
    try tool.write(
      """
      name: inner
      defaults: { stop: { within: 1m } }
      steps:
        slow: { run: "\(Self.slow)", deadline: 3s }
      """, to: "inner.yaml")
    try tool.write("name: w\nsteps: { part: { uses: ./part.yaml } }\n", to: "w.yaml")
    let result = try tool.run("w.yaml")
    let log = try String(contentsOf: tool.folder.appendingPathComponent("log"), encoding: .utf8)
    #expect(log == "up\nstopped\ntidied\n", "\(result)")
  }

  @Test(arguments: [
    (
      "steps: { a: { uses: flow.noop, stop: { signal: INT } } }",
      "'stop' says how a command ends, and 'flow.noop' runs none"
    ),
    ("steps: { a: { run: x, stop: 10s } }", "write '{ within: 10s }'"),
    ("steps: { a: { run: x, stop: INT } }", "write '{ signal: INT }'"),
    ("steps: { a: { run: x, stop: { within: 11m } } }", "within of stop of step 'a' must be at most 10m, found 11m"),
    ("steps: { a: { run: x, stop: { signal: KILL } } }", "it is one of 'HUP', 'INT', 'QUIT', 'TERM', 'USR1', 'USR2'"),
    ("cleanup: 2h\nsteps: { a: { run: x } }", "cleanup must be at most 1h, found 2h"),
  ])
  func `an invalid value of stop or cleanup is reported with valid alternatives`(keys: String, message: String) throws {
    let result = try output("name: w\n" + keys + "\n", "validate", "w.yaml")
    #expect(result.exitCode == 2 && result.standardOutput.contains(message), "\(result)")
  }
}
