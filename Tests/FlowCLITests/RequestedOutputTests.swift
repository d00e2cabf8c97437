import FlowTestKit
import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files that the options of a run request.
@Suite(.timeLimit(.minutes(10))) struct `A requested output` {
  private static let options = [
    "--report", "report.json", "--trace", "trace.json", "--junit", "junit.xml", "--code-quality", "quality.json",
  ]
  private static let names = ["report.json", "trace.json", "junit.xml", "quality.json"]
  private static let rounds = TestExtent.isFull ? 100 : 12

  @Test(arguments: [["w.yaml"], ["run", "w.yaml", "--times", "elapsed"], ["resume", "last"]])
  func `after a signal, a requested file never has the content of an earlier run`(words: [String]) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: w\nsteps: { a: { run: 'test -e go && sleep 60' } }\n", to: "w.yaml")
    #expect(try tool.run("w.yaml").exitCode == 1)
    try tool.write("", to: "go")
    let seed = SeededGenerator.environmentSeed ?? 1
    var random = SeededGenerator(seed: seed)
    for round in 0..<Self.rounds {
      for name in Self.names { try tool.write("{\"old\": true}", to: name) }
      let process = try FlowrunProcess(words + Self.options, in: tool.folder.path)
      usleep(UInt32.random(in: 0..<100_000, using: &random))
      process.send(SIGTERM)
      let result = process.result(limitSeconds: 30)
      // A signal before `main` ends the process without any output.
      guard !result.errors.isEmpty else { continue }
      for name in Self.names {
        let text = (try? tool.text(of: name)) ?? ""
        #expect(!text.contains(#""old": true"#), "seed \(seed), round \(round), \(name): \(result)")
      }
    }
  }

  @Test func `a resume that does not start removes old outputs, but never other files`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: w\nsteps: { a: { run: 'true' } }\n", to: "w.yaml")
    #expect(try tool.run("w.yaml").exitCode == 0)
    func resume(_ words: String..., report: String = "report.json") throws -> CommandLineTool.Output {
      try tool.write("{\"old\": true}", to: "report.json")
      try tool.write("my notes", to: "notes.txt")
      return try tool.run(["resume"] + words + ["--report", report])
    }
    func exists(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: tool.folder.appendingPathComponent(name).path)
    }
    #expect(try resume("last", "--dry-run").exitCode == 0 && exists("report.json"))
    #expect(try resume("last").exitCode == 0 && !exists("report.json"))
    #expect(try resume("00000000").exitCode != 0 && !exists("report.json"))
    #expect(try resume("00000000", report: "notes.txt").exitCode != 0 && exists("notes.txt"))
    #expect(try resume("00000000", report: "w.yaml").exitCode != 0 && exists("w.yaml"))
  }

  @Test func `an output option can be given several times, and each file is written`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: w\nsteps: { a: { run: 'false' } }\n", to: "w.yaml")
    for words in [["w.yaml"], ["run", "w.yaml", "--times", "elapsed"], ["resume", "last"]] {
      let again = [
        "--report", "2/report.html", "--trace", "2/trace.json", "--junit", "2/junit.xml", "--code-quality",
        "2/quality.json",
      ]
      try tool.write("", to: "2/x")
      let result = try tool.run(words + Self.options + again)
      #expect(result.exitCode == 1, "\(result)")
      #expect(try tool.text(of: "2/report.html").contains("<html"))
      #expect(try tool.text(of: "report.json").contains("\"runId\""))
      for name in Self.names.dropFirst() {
        let first = try tool.text(of: name)
        #expect(try !first.isEmpty && tool.text(of: "2/\(name)") == first, "\(name)")
      }
      try FileManager.default.removeItem(at: tool.folder.appendingPathComponent("2"))
    }
    #expect(try tool.run("validate", "w.yaml", "--code-quality", "a.json", "--code-quality", "b.json").exitCode == 0)
    #expect(try tool.text(of: "a.json") == tool.text(of: "b.json"))
    let same = try tool.run("w.yaml", "--report", "r.json", "--report", "./r.json")
    #expect(same.exitCode == 64 && same.standardError.contains("two --report name the same file"), "\(same)")
    let servers = try tool.run("w.yaml", "--otlp", "http://127.0.0.1:1", "--otlp", "http://127.0.0.1:2")
    for port in [1, 2] {
      #expect(servers.standardError.contains("did not reach http://127.0.0.1:\(port)/v1/traces"), "\(servers)")
    }
  }
}
