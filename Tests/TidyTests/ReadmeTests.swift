import Foundation
import TestSupport
import Testing

/// Runs the code blocks on pages as a reader would run them.
@Suite(.timeLimit(.minutes(10))) struct ReadmeTests {
  @Test(arguments: [
    ("README.md", 3), ("docs/gate.md", 6), ("docs/insight.md", 7), ("docs/ci.md", 3), ("docs/events.md", 1),
    ("docs/tutorial-launch.md", 8), ("docs/tutorial-pipeline.md", 11),
    ("docs/tutorial-sync.md", 9), ("docs/debugging.md", 7), ("docs/passing-data.md", 9), ("docs/schedule.md", 3),
    ("docs/crash-recovery.md", 2), ("docs/forecasts.md", 1), ("docs/install.md", 3), ("docs/concurrency.md", 2),
    ("docs/environment.md", 1), ("docs/security.md", 2), ("docs/testing.md", 1), ("docs/services.md", 3),
  ])
  func `a page shows the actual output of its commands`(page: String, expectedCalls: Int) throws {
    try check(page, expectedCalls: expectedCalls)
  }

  @Test func `the plugin tutorial, which uses Python, shows the actual output of its commands`() throws {
    try check("docs/tutorial-plugin.md", expectedCalls: 7)
  }

  private func check(_ page: String, expectedCalls: Int) throws {
    let blocks = try Block.all(in: Repository.text(page))
    // On that page, the two paths to the gate differ by 40 ms.
    let folder = try PageFolder(slowness: page == "docs/insight.md" ? 80 : 20)
    defer { folder.remove() }
    var calls = 0
    for block in blocks {
      if block.name != nil {
        try folder.write(block)
      } else if block.language == "console" {
        calls += 1
        try folder.check(block)
      }
    }
    #expect(calls == expectedCalls)
  }

  @Test func `the app tutorial contains every file of the example unchanged`() throws {
    let example = "Examples/LaunchApp"
    let page = "docs/tutorial-app.md"
    var left = Set(
      [".swift", ".yaml"].flatMap { Repository.files(below: example, ending: $0) }
        .map { String($0.dropFirst(example.count + 1)) })
    for block in try Block.all(in: Repository.text(page)) {
      guard let name = block.name else { continue }
      left.remove(name)
      // In the reader's folder, the repository is in a neighboring folder.
      let file = try Repository.text("\(example)/\(name)").replacing("path: \"../..\"", with: "path: \"../flowrun\"")
      #expect(block.text == file, "\(page) differs from \(example)/\(name)")
    }
    #expect(left.isEmpty, "\(page) lacks \(left.sorted())")
  }

  @Test func `the app examples on the pages match the code that the tests compile and run`() throws {
    let blocks = try Block.all(in: Repository.text("docs/embedding.md")).filter { $0.language == "swift" }
    #expect(try Repository.text("Tests/TidyTests/EmbeddedLaunch.swift") == blocks[0].text)
    let source = try Repository.text("Tests/TidyTests/EmbeddingExample.swift")
    #expect(source == blocks.first { $0.text.hasPrefix("import FlowKitYAML") }?.text)
    let short = try #require(Block.all(in: Repository.text("README.md")).first { $0.language == "swift" })
    for line in short.text.split(separator: "\n") { #expect(source.contains("\n  \(line)\n"), "\(line)") }
  }

  @Test func `the cluster workflow in the README is valid`() throws {
    let block = try #require(Block.all(in: Repository.text("README.md")).first { $0.name == "data.yaml" })
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("data-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try block.write(in: folder)
    let result = try FlowrunProcess.run(["validate", "data.yaml", "--on", "slurm=50"], in: folder.path)
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(result.output.contains("slurm=50"))
  }

  @Test func `the first app example runs a compiled workflow, posts an event and awaits the gate`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("embed-\(UInt64.random(in: 0 ... .max))")
    defer { try? FileManager.default.removeItem(at: folder) }
    let report = try await launch(dataFolder: folder.path)
    #expect(report.conclusion == .success)
    #expect(report.gate.openedAt! >= 20)
    #expect(report.steps.allSatisfy { $0.outcome == .success })
  }

  @Test func `the app example loads a workflow, posts an event and awaits the gate`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("embed-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("launch.yaml")
    try """
    name: embedded
    deadline: { min: 20ms, max: 1m }
    events: [map.first-use]
    steps:
      store: { uses: flow.noop }
      ask: { uses: flow.noop, defer: true, after: map.first-use }
    """.write(to: file, atomically: true, encoding: .utf8)
    let report = try await launch(workflow: file.path, dataFolder: folder.appendingPathComponent("data").path)
    #expect(report.conclusion == .success)
    #expect(report.gate.openedAt! >= 20)
    #expect(report.steps.allSatisfy { $0.outcome == .success })
  }
}

/// A fenced code block on a page: the language, the file name after it, and the text.
struct Block {
  var language: String
  var name: String?
  var text: String

  static func all(in page: String) -> [Block] {
    var blocks: [Block] = []
    var current: Block?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        if let block = current {
          blocks.append(block)
          current = nil
        } else {
          let words = line.dropFirst(3).split(separator: " ").map(String.init)
          current = Block(language: words.first ?? "", name: words.count > 1 ? words[1] : nil, text: "")
        }
      } else {
        current?.text += line + "\n"
      }
    }
    return blocks
  }
}

/// The folder in which a page's code blocks are written and run.
final class PageFolder {
  private let url = FileManager.default.temporaryDirectory.appendingPathComponent("page-\(UUID().uuidString)")
  private let tools: URL
  private let environment: [String: String]
  private let slowness: Int
  private var slowed: Set<String> = []

  /// Creates the folder. In workflows with a deadline, all durations are multiplied by `slowness`, so that threads that
  /// are delayed for seconds do not change the output.
  init(slowness: Int = 20) throws {
    self.slowness = slowness
    tools = URL(fileURLWithPath: url.path + "-tools")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    environment = try PageTools.environment(in: tools)
  }

  /// Removes the folder and the programs for it.
  func remove() { for folder in [url, tools] { try? FileManager.default.removeItem(at: folder) } }

  /// Writes a block to the file that it names.
  func write(_ block: Block) throws {
    try block.write(in: url)
    slowed.remove(block.name ?? "")
  }

  /// Runs the command in a block and checks that its output is the one on the page.
  func check(_ block: Block) throws {
    try block.check(in: url, environment: environment) { words in
      guard let file = words.first, file.hasSuffix(".yaml") else { return words }
      let path = url.appendingPathComponent(file)
      let text = try String(contentsOf: path, encoding: .utf8)
      guard slowed.contains(file) || text.contains("deadline:") || text.contains("kill -9") else { return words }
      if slowed.insert(file).inserted {
        try slower(text).write(to: path, atomically: true, encoding: .utf8)
      }
      return words.map(slower)
    }
  }

  private func slower(_ text: String) -> String {
    text.replacing(/\b([0-9]+)(ms|s)\b/) { "\((Int($0.1) ?? 0) * slowness)\($0.2)" }
      .replacing(/\bsleep ([0-9.]+)/) { "sleep \((Double($0.1) ?? 0) * Double(slowness))" }
  }
}

extension Block {
  /// Returns a regular expression for a string, in which each duration matches any duration.
  private static func pattern(_ text: String) -> String {
    NSRegularExpression.escapedPattern(for: text)
      .replacing(/\b[0-9]+(?:\\\.[0-9]+)? (?:µs|ms|s)\b/, with: "[0-9.]+ (?:µs|ms|s)")
  }

  /// Writes the block to the file that it names.
  func write(in folder: URL) throws {
    let file = folder.appendingPathComponent(try #require(name))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  /// Returns the words of a command line. As in a shell, quotes group words.
  private static func words(of line: Substring) -> [String] {
    line.matches(of: /(?:'[^']*'|"[^"]*"|[^ '"])+/).map { word in
      String(word.output).replacing(/'([^']*)'|"([^"]*)"/) { $0.output.1 ?? $0.output.2 ?? "" }
    }
  }

  /// The commands in a console block, the lines of output, and the exit code from its last line.
  var call: (commands: [String], lines: [String], exitCode: Int32) {
    var lines = text.split(separator: "\n").map(String.init)
    let commands = lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
    lines.removeAll { $0.hasPrefix("$ ") }
    var exitCode: Int32 = 0
    if let last = lines.last, last.hasPrefix("exit "), let code = Int32(last.dropFirst(5)) {
      exitCode = code
      lines.removeLast()
    }
    return (commands, lines, exitCode)
  }

  /// Runs the `$ flowrun …` line of the block after `change` was applied to it. Checks that the output contains the
  /// lines below it.
  func check(
    in folder: URL, environment: [String: String], _ change: ([String]) throws -> [String] = { $0 }
  ) throws {
    let call = call
    let command = try #require(call.commands.first { $0.hasPrefix("flowrun ") })
    let result = try FlowrunProcess.run(
      change(Self.words(of: command.dropFirst("flowrun ".count))), in: folder.path, environment: environment)
    #expect(result.exitCode == call.exitCode, "\(command): \(result.output)\(result.errors)")
    Self.expect(call.lines, in: result.errors + result.output, of: command)
  }

  /// Checks that the output of a command contains lines in this order. `…` matches any text, and a duration matches any
  /// duration.
  static func expect(_ lines: [String], in output: String, of command: String) {
    var rest = output[...]
    for line in lines {
      for part in line.split(separator: "…").map(String.init) {
        guard let range = rest.range(of: pattern(part), options: .regularExpression) else {
          Issue.record("\(command): '\(part)' is not in\n\(output)")
          return
        }
        rest = rest[range.upperBound...]
      }
    }
  }
}
