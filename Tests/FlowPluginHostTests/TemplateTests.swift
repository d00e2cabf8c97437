import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowTestKit
import Foundation
import Testing

/// New plugins and the examples work, by the suite that `flowrun plugins check` runs.
@Suite(.timeLimit(.minutes(5)))
struct TemplateTests {
  private func written(_ language: PluginTemplate.Language, name: String = "shout") throws -> InstalledPlugin {
    let folder = FileManager.default.temporaryDirectory.appending(path: "template-\(UUID().uuidString)/\(name)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (file, text) in try #require(PluginTemplate(name: name, language: language)).files {
      try text.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
    }
    return try PluginFinder.read(folder).get()
  }

  private func findings(_ plugin: InstalledPlugin) async throws -> [PluginConformance.Finding] {
    let text = try String(contentsOfFile: plugin.folder + "/cases.jsonl", encoding: .utf8)
    let cases = try PluginCase.read(text)
    #expect(cases.count >= 2)
    let scratch = FileManager.default.temporaryDirectory.appending(path: "scratch-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    let host = PluginHost(cacheFolder: scratch + "/cache")
    let suite = PluginConformance(
      name: plugin.name, actions: host.actions(of: plugin), cases: cases, in: scratch, reading: plugin.folder,
      callDeadline: .seconds(60))
    let findings = await suite.check()
    await host.close()
    try FileManager.default.removeItem(atPath: scratch)
    return findings
  }

  @Test(arguments: PluginTemplate.Language.allCases)
  func `a new plugin is sound`(language: PluginTemplate.Language) async throws {
    #expect(try await findings(try written(language)) == [])
  }

  @Test(arguments: ["agenda", "calendar"])
  func `the example plugins are sound`(name: String) async throws {
    #expect(try await findings(try PluginFinder.read("\(repository)/plugins/\(name)").get()) == [])
  }

  @Test func `the example in Swift speaks the protocol with the same file as a new plugin`() throws {
    let template = try #require(PluginTemplate(name: "agenda", language: .swift))
    let example = try String(contentsOfFile: "\(repository)/plugins/agenda/Protocol.swift", encoding: .utf8)
    #expect(template.files["Protocol.swift"] == example)
  }

  @Test func `the compiled-in example of the page is this one, and is sound`() async throws {
    let page = try String(contentsOfFile: "\(repository)/plugins/README.md", encoding: .utf8)
    let example = try String(
      contentsOfFile: "\(repository)/Tests/FlowPluginHostTests/GreetingExample.swift", encoding: .utf8)
    #expect(page.contains("```swift\n\(example)```"))
    let cases = [
      PluginCase("greeting.greet", with: ["who": "you", "times": 2], .outputs(["text": "Hello, you; Hello, you"]))
    ]
    #expect(await PluginConformance(GreetingPlugin(), cases: cases).check() == [])
  }

  @Test func `the plugin in sh passes on every text as it is`() async throws {
    let plugin = try written(.sh)
    let host = PluginHost()
    let action = try #require(host.actions(of: plugin).first)
    for text in [
      "plain", #"a "quoted" word"#, #"back\slash"#, #"both \" at the end \\"#, "tab\tand\nline", "日本", "}],{",
    ] {
      #expect(try await TestHost().call(action, with: ["text": .string(text)]) == ["text": .string(text + "!")])
    }
    await host.close()
  }

  @Test func `an edit is compiled, a broken one is told as the compiler does, and nothing is compiled twice`()
    async throws
  {
    let plugin = try written(.swift)
    let cache = plugin.folder + "-cache"
    func shout() async throws -> Value? {
      let host = PluginHost(cacheFolder: cache)
      defer { Task { await host.close() } }
      return try await TestHost().call(host.actions(of: plugin)[0], with: ["text": "hello"])["text"]
    }
    #expect(try await shout() == "HELLO!")
    #expect(try await shout() == "HELLO!")
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache).count == 1)
    let file = plugin.folder + "/main.swift"
    let source = try String(contentsOfFile: file, encoding: .utf8)
    try source.replacing("+ \"!\"", with: "+ \"?\"").write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try await shout() == "HELLO?")
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache).count == 2)
    try source.replacing("uppercased()", with: "uppercase()").write(toFile: file, atomically: true, encoding: .utf8)
    let error = await #expect(throws: ActionError.self) { try await shout() }
    #expect(error?.code == "plugin-source")
    #expect(error?.message.contains("main.swift:18:") ?? false, "\(error?.message ?? "")")
    #expect(error?.message.contains("uppercase") ?? false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache).count == 2)
  }

  @Test(arguments: ["", "Shout", "9lives", "a--b", "a_b", "-a", "a-", "über"])
  func `a name that no plugin can have gives no plugin`(name: String) {
    #expect(PluginTemplate(name: name, language: .sh) == nil)
  }

  private var repository: String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  }
}
