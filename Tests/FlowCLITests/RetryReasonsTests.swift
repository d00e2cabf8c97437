import FlowModel
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct RetryReasonsTests {
  private let tool: CommandLineTool

  init() throws { tool = try CommandLineTool() }

  /// Returns the number of attempts of a step that always fails.
  private func attempts(_ run: String, _ retry: String) throws -> Int {
    try tool.write(
      "name: w\nsteps: { a: { run: '\(run)', retry: { attempts: 3, delay: 0ms, \(retry) } } }\n", to: "w.yaml")
    // Attempts are counted in the report, because an attempt may reach its deadline before its command starts.
    _ = try tool.run("w.yaml", "--no-history", "--report", "report.json")
    let report = try JSONText.parse(try tool.text(of: "report.json"))
    return try #require(report["steps"]?["a"]?["attempts"]?.integerValue)
  }

  @Test func `retry.on and retry.except select the failures after which another attempt is made`() throws {
    defer { tool.remove() }
    for (run, retry, count) in [
      ("exit 75", "on: [75]", 3), ("exit 75", "on: [70..80]", 3), ("exit 75", "on: [74, 76..80]", 1),
      ("exit 75", "except: [75]", 1), ("exit 75", "except: [76]", 3), ("exit 75", "on: [failed]", 3),
      ("exit 75", "on: [command-failed]", 3), ("exit 75", "except: [command-failed]", 1),
      ("exit 75", "on: [timed-out, lost, killed]", 1), ("kill -9 $$", "on: [killed]", 3),
      ("kill -9 $$", "on: [failed]", 1),
      ("kill -9 $$", "except: [killed]", 1), ("sleep 9", "attempt-deadline: 50ms, on: [timed-out]", 3),
      ("sleep 9", "attempt-deadline: 50ms, on: [failed]", 1),
      ("sleep 9", "attempt-deadline: 50ms, except: [timed-out]", 1),
    ] { #expect(try attempts(run, retry) == count, "\(run), \(retry)") }
  }

  @Test func `a lost attempt is repeated unless retry.except lists it, and is counted if retry.on lists it`() throws {
    defer { tool.remove() }
    for (retry, count, option) in [
      ("on: [75]", 4, []), ("on: [75]", 2, ["--lost-attempts", "1"]), ("except: [lost]", 1, []), ("on: [lost]", 3, []),
    ] as [(String, Int, [String])] {
      try tool.write(
        "name: w\nsteps: { a: { run: 'echo x >>tries; kill -9 $PPID; sleep 9', retry: { attempts: 3, delay: 0ms, \(retry) } } }\n",
        to: "w.yaml")
      try tool.write("", to: "tries")
      _ = try tool.run(["w.yaml", "--no-history", "--on", "workers=2,processes=2"] + option)
      let lines = try tool.text(of: "tries").split(separator: "\n")
      #expect(lines.count == count, "\(retry)")
    }
  }

  @Test func `the exit status of a command on a worker can be a retry reason`() throws {
    defer { tool.remove() }
    try tool.write(
      "name: w\nsteps: { a: { run: 'echo x >>tries; exit 75', retry: { attempts: 3, delay: 0ms, on: [75] } } }\n",
      to: "w.yaml")
    _ = try tool.run("w.yaml", "--no-history", "--on", "workers=1")
    #expect(try tool.text(of: "tries") == "x\nx\nx\n")
  }

  @Test(arguments: [
    ("on: [timed_out]", "did you mean 'timed-out'?"), ("on: [command-fail]", "did you mean 'command-failed'?"),
    ("on: [0]", "an exit status from 1 to 255"), ("except: [256]", "an exit status from 1 to 255"),
    ("on: [110..100]", "an exit status from 1 to 255"), ("on: lost", "a list of at least one reason"),
    ("on: []", "must be a list of at least one reason, found an empty list"),
    ("on: ['05']", "write 5, without leading zeros"), ("except: [010..0110]", "write 10..110, without leading zeros"),
    ("on: ['0']", "an exit status from 1 to 255"),
    ("on: ['00']", "an exit status from 1 to 255"),
    ("on: [lost], except: [75]", "has 'on' and 'except'"),
  ])
  func `the error for an invalid retry reason suggests the valid ones`(retry: String, text: String) throws {
    defer { tool.remove() }
    try tool.write("name: w\nsteps: { a: { run: 'true', retry: { attempts: 3, \(retry) } } }\n", to: "w.yaml")
    let result = try tool.run("validate", "w.yaml")
    #expect(result.exitCode == 2, "\(result)")
    #expect((result.standardOutput + result.standardError).contains(text), "\(result)")
  }

  @Test func `a retry reason is parsed and written back unchanged, and an invalid one is rejected`() {
    for text in ["failed", "timed-out", "lost", "out-of-memory", "killed", "75", "1..255", "command-failed"] {
      #expect(RetryReasons.Reason(text)?.text == text)
    }
    for text in ["", "0", "256", "-1", "5..", "..5", "5..4", "1...3", "1.2", "3x", "05", "00", "1..010", "+5"] {
      #expect(RetryReasons.Reason(text) == nil, "\(text)")
    }
  }
}
