import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSyntax
import FlowTestKit
import Foundation
import Testing

/// The plugin `Children/hostile.py`, installed for a single test.
struct HostileChild {
  let host: PluginHost
  let plugin: InstalledPlugin
  private let actions: [String: RegisteredAction]
  private let greeting: URL

  static let actionNames = [
    "answer-twice", "close-input", "close-output", "die", "die-by-signal", "echo", "environment", "exit-after", "fail",
    "flood-lines", "flood-log", "flood-messages", "flood-progress", "flood-without-end", "fork-and-answer",
    "fork-and-die", "garbage", "half-line", "hang", "hang-all",
    "hold", "lie", "log", "log-slowly", "long-line", "long-text", "post", "service", "stop-reading", "strays", "thread",
  ]

  /// Limits that are short enough for quick tests.
  static var shortLimits: PluginLimits {
    var limits = PluginLimits()
    limits.grace = .milliseconds(100)
    return limits
  }

  init(mode: String = "", limits: PluginLimits = shortLimits, command: [String]? = nil) throws {
    let names = Self.actionNames.map { "hostile.\($0)" }
    greeting = FileManager.default.temporaryDirectory.appending(path: "hostile-\(UUID().uuidString).json")
    let stated: Value = [
      "name": "hostile", "version": "1.0.0", "actions": .array(names.map { .string($0) }),
    ]
    try JSONText.write(stated).write(to: greeting, atomically: true, encoding: .utf8)
    let command = command ?? ["env", "ACTIONS=\(greeting.path)", "python3", "hostile.py", mode]
    plugin = InstalledPlugin(try Self.manifest(command: command, actions: names), folder: Self.folder)
    host = PluginHost(limits: limits)
    actions = Dictionary(uniqueKeysWithValues: host.actions(of: plugin).map { ($0.declaration.name, $0) })
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Children").path

  private static func manifest(command: [String], actions: [String]) throws -> PluginManifest {
    let head =
      "name: hostile\nversion: 1.0.0\nprotocol: 1\ncommand: \(JSONText.write(.array(command.map { .string($0) })))\n"
    let body = actions.map { name in
      """
        \(name):
          summary: Misbehaves
          inputs:
            text: { type: string, default: "" }
            megabytes: { type: integer, required: false }
            bytes: { type: integer, required: false }
            lines: { type: integer, required: false }
            count: { type: integer, required: false }
            seconds: { type: number, required: false }
          outputs: { text: { type: string } }
          events: [hostile.declared]
          service: \(name == "hostile.service")
          errors: { busy: { summary: Try again later, retryable: true } }

      """
    }
    let result = PluginManifestLoader().load(
      bytes: Array((head + "actions:\n" + body.joined()).utf8), file: "plugin.yaml")
    return try #require(result.manifest, "\(result.rendered())")
  }

  /// Calls an action of the plugin, in a new run unless `run` is given.
  func call(_ action: String, _ inputs: ValueObject = [:], in run: TestHost = TestHost()) async throws -> ValueObject {
    try await run.call(actions["hostile.\(action)"]!, with: inputs)
  }

  /// Calls an action and returns its error. Returns an error `no-error` if it succeeds.
  func failure(of action: String, _ inputs: ValueObject = [:], in run: TestHost = TestHost()) async -> ActionError? {
    do {
      let outputs = try await call(action, inputs, in: run)
      return ActionError("no-error", "the call gave \(JSONText.write(.object(outputs)))")
    } catch let error as ActionError {
      return error
    } catch {
      return ActionError("\(type(of: error))", "\(error)")
    }
  }

  /// Ends the program and removes the test's files.
  func close() async {
    await host.close()
    try? FileManager.default.removeItem(at: greeting)
  }

  /// True if a process is running, rather than ended or a zombie.
  static func isRunning(_ number: Int) -> Bool { status(of: number).map { $0.state != "Z" } ?? false }

  /// Returns the group of a running process.
  static func group(of number: Int) -> Int? { status(of: number)?.group }

  /// Returns the running processes of a group.
  static func members(ofGroup group: Int) -> [Int] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int($0) }.filter { number in
      status(of: number).map { $0.group == group && $0.state != "Z" } ?? false
    }
  }

  private static func status(of number: Int) -> (state: Substring, group: Int)? {
    guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
      let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 2, let group = Int(fields[2])
    else { return nil }
    return (fields[0], group)
  }
}
