import FlowBuild
import TestSupport
import Testing

struct PackageBuildTests {
  private static let interface = """
    name: flow
    actions:
      flow.noop: { summary: Does nothing }
      flow.set:
        summary: Gives values back
        inputs: { values: { type: object } }
        in-process: { outputs-from: values }
    """

  private static let launch = """
    name: launch
    description: The launch
    inputs:
      user: { type: string, description: Who starts the app }
      level: { type: string, enum: [low, "in"], default: low }
    events:
      map.first-use: The map was opened
    steps:
      read: { uses: flow.set, with: { values: { greeting: hello } } }
      warm: { uses: my-app.warm-cache, with: { folder: x }, needs: read }
      map: { uses: flow.noop, defer: true, after: map.first-use }
    outputs:
      count: ${{ steps.warm.outputs.count }}
    """

  private static let own = """
    name: my-app
    actions:
      my-app.warm-cache:
        summary: Warms the cache
        inputs:
          folder: { type: string }
          mode: { type: string, enum: [fast, "2"], default: fast }
        outputs:
          count: { type: integer }
        events: [cache.full]
        errors:
          no-room: { summary: The disk is full, retryable: false }
      my-app.close: { summary: Closes it }
    """

  private func build(_ files: [String: String]) -> PackageBuild {
    var request = PackageBuild.Request()
    let names = files.keys.sorted()
    request.workflows = names.filter { !$0.hasSuffix(".plugin.yaml") }
    request.ownInterfaces = names.filter { $0.hasSuffix("app.plugin.yaml") }
    request.interfaces = names.filter { $0.hasSuffix("flow.plugin.yaml") }
    return PackageBuild(request) { files[$0].map { Array($0.utf8) } }
  }

  private var good: [String: String] {
    ["/a/launch.yaml": Self.launch, "/a/app.plugin.yaml": Self.own, "/f/flow.plugin.yaml": Self.interface]
  }

  @Test(arguments: [
    "static let launch = Launch()", "init(user: String, level: LevelOption? = nil)", "case `in` = \"in\"",
    "case mapFirstUse = \"map.first-use\"", "case cacheFull = \"cache.full\"", "var count: Int?",
    "static let warm = StepKey<WarmOutputs>(\"warm\")", "static let map = StepKey<FlowKit.NoWorkflowOutputs>(\"map\")",
    "protocol MyAppActions: Sendable {",
    "func warmCache(_ input: MyAppPlugin.WarmCacheInput, in context: ActionContext) async throws -> MyAppPlugin.WarmCacheOutput",
    "func close(in context: ActionContext) async throws\n", "var mode: ModeOption\n", "case _2 = \"2\"",
    "static func noRoom(_ message: String) -> ActionError",
  ])
  func `the generated source declares workflows, events and actions with names and types`(_ part: String) throws {
    let build = build(good)
    #expect(build.messages == "")
    #expect(try #require(build.source).firstRange(of: part) != nil)
  }

  @Test func `the same files always result in the same generated source`() {
    #expect(build(good).source == build(good).source)
  }

  @Test func `an error in a workflow is reported at its YAML line, in the format of a compiler`() {
    var files = good
    files["/a/launch.yaml"] = Self.launch.replacing("after: map.first-use", with: "after: map.first-usee")
    let build = build(files)
    #expect(build.source == nil)
    #expect(build.messages.hasPrefix("/a/launch.yaml:11:"), "\(build.messages)")
    #expect(build.messages.firstRange(of: ": error: ") != nil)
    #expect(build.messages.firstRange(of: "did you mean 'map.first-use'?") != nil)
  }

  @Test func `steps are checked against the declarations of the app's own actions`() {
    var files = good
    files["/a/launch.yaml"] = Self.launch.replacing("folder: x", with: "folders: x")
    #expect(build(files).messages.hasPrefix("/a/launch.yaml:10:"))
    files["/a/launch.yaml"] = Self.launch.replacing("outputs.count", with: "outputs.counts")
    #expect(build(files).messages.hasPrefix("/a/launch.yaml:13:"))
  }

  @Test func `two workflows or two plugins with the same name cause an error`() {
    var files = good
    files["/a/b/launch.yml"] = Self.launch
    #expect(build(files).messages.hasPrefix("/a/launch.yaml:1:1: error: two workflows are named 'launch'"))
    files = good
    files["/b/app.plugin.yaml"] = Self.own
    #expect(build(files).messages.hasPrefix("/b/app.plugin.yaml:1:7: error: two plugins are named 'my-app'"))
  }

  @Test func `an unreadable file causes an error, and so does an app's plugin that has a command`() {
    var request = PackageBuild.Request()
    request.workflows = ["/a/launch.yaml"]
    #expect(PackageBuild(request) { _ in nil }.messages == "/a/launch.yaml:1:1: error: the file cannot be read\n")
    var files = good
    files["/a/app.plugin.yaml"] = Self.own + "\ncommand: [cat]"
    let messages = build(files).messages
    #expect(messages.hasPrefix("/a/app.plugin.yaml:14:1: error: "))
    // The steps that use the plugin cause no further errors.
    #expect(messages.firstRange(of: "/a/launch.yaml") == nil)
  }

  private static let schema = "schema: n\ncollections: { notes: { fields: { title: { type: string } } } }\n"

  private func build(
    schemas: [String: String], products: [String] = ["SyncPlugin"], workflows: [String: String] = [:]
  ) -> PackageBuild {
    var request = PackageBuild.Request()
    request.pluginFiles = schemas.keys.sorted()
    request.products = products
    request.workflows = workflows.keys.sorted()
    let files = schemas.merging(workflows) { $1 }
    return PackageBuild(request, kinds: [.schemas]) { files[$0].map { Array($0.utf8) } }
  }

  @Test func `a schema becomes a member of Schemas, and the source imports the target's sync product`() throws {
    let files = ["/a/reading-list.sync.yaml": Self.schema, "/a/All.sync.yaml": Self.schema]
    for (products, imported) in [(["SyncPlugin"], "SyncPlugin"), (["SyncPlugin", "SyncKit"], "SyncKit")] {
      let source = try #require(build(schemas: files, products: products).source)
      #expect(source.contains("import \(imported)\n") && !source.contains("import FlowKit"))
      #expect(source.contains("static let readingList = CompiledSchema("))
      #expect(source.contains("file: \"reading-list.sync.yaml\","))
      #expect(source.contains("static let all: [CompiledSchema] = [all_, readingList]"))
    }
    let both = build(
      schemas: files, workflows: ["/a/launch.yaml": "name: launch\nsteps: { a: { run: x } }\n"])
    #expect(both.source == nil || both.source?.contains("import FlowKit\nimport SyncPlugin") == true)
  }

  @Test func `an invalid schema, a duplicate name and a missing product each cause an error`() {
    let wrong = build(schemas: ["/a/notes.sync.yaml": Self.schema.replacing("string", with: "strin")])
    #expect(wrong.source == nil)
    #expect(wrong.messages.hasPrefix("/a/notes.sync.yaml:2:"), "\(wrong.messages)")
    let two = build(schemas: ["/a/notes.sync.yaml": Self.schema, "/a/b/notes.sync.yaml": Self.schema])
    #expect(two.source == nil && two.messages.contains("two files are named as the schema 'notes'"), "\(two.messages)")
    let none = build(schemas: ["/a/notes.sync.yaml": Self.schema], products: [])
    #expect(none.source == nil)
    #expect(
      none.messages.hasPrefix(
        "/a/notes.sync.yaml:1:1: error: a schema needs the product SyncKit or SyncPlugin"),
      "\(none.messages)")
  }

  @Test func `a target without workflows and events still has a generated source file`() throws {
    #expect(try #require(build([:]).source).firstRange(of: "enum Workflows {") != nil)
  }
}
