import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSyntax
import Foundation
import Testing

/// The findings of `flowrun plugins check` for programs that do not start or contradict their manifest.
@Suite(.timeLimit(.minutes(10)))
struct ConformanceTests {
  @Test func `a plugin's program that cannot start is reported, even if no case calls it`() async throws {
    let plugin = try PythonPlugin("def broken(:\n")
    let findings = await plugin.findings(cases: [])
    #expect(findings.map(\.rule) == [.start])
    #expect(findings.first?.message.contains("SyntaxError") == true, "\(findings)")
    await plugin.remove()
  }

  @Test func `a plugin's program that states a different version than its manifest is reported`() async throws {
    let plugin = try PythonPlugin(
      PythonPlugin.answering(seconds: 0).replacing("\"version\": \"1.0.0\"", with: "\"version\": \"2\""))
    let findings = await plugin.findings(cases: [])
    #expect(findings.map(\.rule) == [.start])
    #expect(findings.first?.message.contains("states the version") == true, "\(findings)")
    await plugin.remove()
  }

  @Test func `a plugin's program that answers slow calls one after another is accepted`() async throws {
    let plugin = try PythonPlugin(PythonPlugin.answering(seconds: 1.5))
    let sample = PluginCase("slow.text", with: ["text": "a"], .outputs(["text": "a"]))
    #expect(await plugin.findings(cases: [sample]) == [])
    await plugin.remove()
  }
}

/// A Python plugin in its own temporary folder.
private struct PythonPlugin {
  let plugin: InstalledPlugin
  private let host = PluginHost()

  init(_ program: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "checked-\(UUID().uuidString)/slow").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try program.write(toFile: folder + "/plugin.py", atomically: true, encoding: .utf8)
    let manifest = """
      name: slow
      version: 1.0.0
      protocol: 1
      command: [python3, plugin.py]
      actions:
        slow.text:
          summary: Gives a text back
          inputs: { text: { type: string, description: Which } }
          outputs: { text: { type: string } }

      """
    try manifest.write(toFile: folder + "/plugin.yaml", atomically: true, encoding: .utf8)
    plugin = try PluginFinder.read(folder).get()
  }

  /// Returns a program that answers calls one after another. Each answer takes `seconds`, during which nothing is read.
  static func answering(seconds: Double) -> String {
    """
    import json, sys, time
    for line in sys.stdin:
        message = json.loads(line)
        if message["method"] == "initialize":
            result = {"name": "slow", "version": "1.0.0", "actions": ["slow.text"]}
        elif message["method"] == "run":
            time.sleep(\(seconds))
            result = {"outputs": {"text": message["params"]["inputs"]["text"]}}
        else:
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)

    """
  }

  func findings(cases: [PluginCase]) async -> [PluginConformance.Finding] {
    await PluginConformance(plugin, on: host, cases: cases, in: NSTemporaryDirectory()).check()
  }

  func remove() async {
    await host.close()
    try? FileManager.default.removeItem(atPath: URL(filePath: plugin.folder).deletingLastPathComponent().path)
  }
}
