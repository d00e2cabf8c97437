import FlowCLI
import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowTestKit
import Foundation
import Testing

/// New plugins and the examples must pass the checks of `flowrun plugins check`.
@Suite(.timeLimit(.minutes(10)))
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
    let suite = PluginConformance(plugin, on: host, cases: cases, in: scratch, callDeadline: .seconds(60))
    let findings = await suite.check()
    await host.close()
    try FileManager.default.removeItem(atPath: scratch)
    return findings
  }

  @Test(arguments: PluginTemplate.Language.allCases)
  func `a new plugin passes all checks`(language: PluginTemplate.Language) async throws {
    #expect(try await findings(try written(language)) == [])
  }

  /// For each language, the file, the line that is replaced, and lines that make the action slow or make it fail
  /// temporarily.
  private static let changes: [PluginTemplate.Language: (String, String, String)] = [
    .swift: (
      "main.swift", #"call.log("saying it louder")"#,
      """
      if input.text == "often" { throw PluginError("busy", "\\(input.pause / .milliseconds(1))", isRetryable: true) }
        if input.text == "long" { call.log("waiting"); try call.wait(.seconds(60)) }
      """
    ),
    .python: (
      "plugin.py", #"call.log("saying it louder")"#,
      """
      if text == "often":
              raise Problem("busy", "%.1f" % (pause * 1000), retryable=True)
          if text == "long":
              call.log("waiting")
              call.wait(60)
      """
    ),
    .node: (
      "plugin.js", #"call.log("saying it louder")"#,
      """
      if (text === "often") throw new Problem("busy", pause.toFixed(1), true);
        if (text === "long") {
          call.log("waiting");
          await call.wait(60000);
        }
      """
    ),
    .sh: (
      "plugin.sh", #"log "saying it louder""#,
      """
      case $value in
          often) milliseconds pause && fail busy "$value.0" true || return ;;
          long) log waiting; work sleep 60 ;;
        esac
        string text
      """
    ),
  ]

  @Test(arguments: PluginTemplate.Language.allCases)
  func `the action of a new plugin supports cancellation, durations and temporary errors`(
    language: PluginTemplate.Language
  ) async throws {
    var plugin = try written(language)
    let change = try #require(Self.changes[language])
    let file = plugin.folder + "/" + change.0
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains(change.1))
    let takesPause = [
      "var text: String }": "var text: String; var pause: Duration }", "(call, text)": "(call, text, pause)",
      "({ text }, call)": "({ text, pause }, call)",
      // An author may define a function whose name the library could use internally.
      "louder() {": "run() {", ".text louder\n": ".text run\n",
    ]
    var changed = text.replacing(change.1, with: change.2)
    for (old, new) in takesPause { changed = changed.replacing(old, with: new, maxReplacements: 1) }
    try changed.write(toFile: file, atomically: true, encoding: .utf8)
    let manifest = plugin.folder + "/plugin.yaml"
    try String(contentsOfFile: manifest, encoding: .utf8).replacing(
      "    inputs:\n", with: "    inputs:\n      pause: { type: duration, default: 1m30s }\n"
    ).write(toFile: manifest, atomically: true, encoding: .utf8)
    plugin = try PluginFinder.read(plugin.folder).get()
    let host = PluginHost(cacheFolder: plugin.folder + "-cache")
    let action = host.actions(of: plugin)[0]

    let error = await #expect(throws: ActionError.self) { try await TestHost().call(action, with: ["text": "often"]) }
    #expect(error?.code == "busy" && error?.isRetryable == true && error?.message == "90000.0")

    let run = TestHost()
    let call = Task { try await run.call(action, with: ["text": "long"]) }
    while !run.logs.contains("waiting"), !Task.isCancelled { await Task.yield() }
    run.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    // The program continues to run, because it ended the call itself.
    let louder = try await TestHost().call(action, with: ["text": "again"])["text"]
    #expect(louder == (language == .sh ? "again!" : "AGAIN!"))
    await host.close()
  }

  @Test(arguments: ["agenda", "calendar"])
  func `the example plugins pass all checks`(name: String) async throws {
    #expect(try await findings(try PluginFinder.read("\(repository)/plugins/examples/\(name)").get()) == [])
  }

  @Test(arguments: PluginTemplate.Language.allCases)
  func `the program of a new plugin has at most 20 lines`(language: PluginTemplate.Language) throws {
    let template = try #require(PluginTemplate(name: "shout", language: language))
    #expect(template.files.count == 3)
    let program = try #require(template.files.first { $0.key != "plugin.yaml" && $0.key != "cases.jsonl" }).value
    #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count <= 20)
  }

  @Test func `a Swift plugin reads and writes all kinds of JSON`() async throws {
    let plugin = try written(.swift)
    let mirror = """
      import FlowPlugin
      struct Inner: Codable { var list: [Double]; var flags: [String: Bool]; var smallNumber: UInt8 }
      struct Everything: Codable {
        var text: String; var none: String?; var inner: Inner; var nested: [[Int]]; var any: JSON; var pause: Duration
      }
      var plugin = PluginProgram()
      plugin.action("shout.text") { (input: Everything, call) in
        call.progress(0.5)
        return input
      }
      plugin.serve()

      """
    try mirror.write(toFile: plugin.folder + "/main.swift", atomically: true, encoding: .utf8)
    let manifest = plugin.folder + "/plugin.yaml"
    var text = try String(contentsOfFile: manifest, encoding: .utf8)
    for old in [
      "text: { type: string, description: What to say }",
      #"text: { type: string, description: "The text, said louder" }"#,
    ] {
      text = text.replacing(
        old,
        with:
          """
          { text: { type: string }, none: { type: string, required: false }, inner: { type: any }, nested: { type: any }, \
          any: { type: any }, pause: { type: duration } }
          """
      )
    }
    try text.write(toFile: manifest, atomically: true, encoding: .utf8)
    let host = PluginHost(cacheFolder: plugin.folder + "-cache")
    let action = try #require(host.actions(of: try PluginFinder.read(plugin.folder).get()).first)
    for text in ["", "plain", "\"quoted\\ \u{1}\n\t\u{7f}", "日本 é 😀", String(repeating: "long ", count: 20_000)] {
      let inputs: ValueObject = [
        "text": .string(text),
        "inner": ["list": [1, -2.5, 1e300, 0], "flags": ["likedByMe": true], "small-number": 255],
        "nested": [[1, -9_007_199_254_740_993], [], [9_223_372_036_854_775_807]],
        "any": [["camelCase": 1.5, "b": [.null, "x"]], true], "pause": "1500ms",
      ]
      #expect(try await TestHost().call(action, with: inputs) == inputs)
    }
    let error = await #expect(throws: ActionError.self) {
      try await TestHost().call(
        action,
        with: [
          "text": "", "inner": ["list": [], "flags": [:], "small-number": 256], "nested": [], "any": 1, "pause": "1s",
        ])
    }
    #expect(error?.message == "the inputs do not fit the action: 'small-number' is a number, not of type UInt8")
    await host.close()
  }

  @Test func `the example in the documentation equals the compiled one, which passes all checks`() async throws {
    let page = try String(contentsOfFile: "\(repository)/plugins/README.md", encoding: .utf8)
    let example = try String(
      contentsOfFile: "\(repository)/Tests/FlowCLITests/GreetingExample.swift", encoding: .utf8)
    #expect(page.contains("```swift\n\(example)```"))
    let cases = [
      PluginCase("greeting.greet", with: ["who": "you", "times": 2], .outputs(["text": "Hello, you; Hello, you"]))
    ]
    #expect(await PluginConformance(GreetingPlugin(), cases: cases).check() == [])
  }

  @Test func `a plugin in sh receives and returns any text unchanged`() async throws {
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

  @Test func `a changed Swift plugin is compiled once, and compiler errors are reported with their line`()
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
    #expect(try programs(in: cache) == 1)
    let file = plugin.folder + "/main.swift"
    let source = try String(contentsOfFile: file, encoding: .utf8)
    try source.replacing("+ \"!\"", with: "+ \"?\"").write(toFile: file, atomically: true, encoding: .utf8)
    let objects = try compiledTimes(in: cache)
    #expect(try await shout() == "HELLO?")
    #expect(try compiledTimes(in: cache).count { objects[$0.key] != $0.value } == 1, "only main.swift has changed")
    #expect(try programs(in: cache) == 2)
    // The changes are made within the same second and with an old time. The compiler alone would not detect them.
    for mark in ["-", "/"] {
      try source.replacing("+ \"!\"", with: "+ \"\(mark)\"").write(toFile: file, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: file)
      #expect(try await shout() == .string("HELLO" + mark))
    }
    #expect(try programs(in: cache) == 4)
    try source.replacing("uppercased()", with: "uppercase()").write(toFile: file, atomically: true, encoding: .utf8)
    let error = await #expect(throws: ActionError.self) { try await shout() }
    #expect(error?.code == "plugin-source")
    #expect(error?.message.contains("main.swift:12:") ?? false, "\(error?.message ?? "")")
    #expect(error?.message.contains("uppercase") ?? false)
    #expect(try programs(in: cache) == 4)
  }

  @Test(arguments: ["", "Shout", "9lives", "a--b", "a_b", "-a", "a-", "über"])
  func `a plugin with an invalid name is not created`(name: String) {
    #expect(PluginTemplate(name: name, language: .sh) == nil)
  }

  /// Returns the time at which each object file was written, by its name.
  private func compiledTimes(in cache: String) throws -> [String: Date] {
    let folder = cache + "/shout.build/objects"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".o") }
    return try Dictionary(
      uniqueKeysWithValues: names.map { name in
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
        return (name, try #require(attributes[.modificationDate] as? Date))
      })
  }

  private func programs(in cache: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: cache).count { $0.hasPrefix("shout-") }
  }

  private var repository: String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  }
}
