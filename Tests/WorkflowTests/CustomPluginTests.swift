import FlowModel
import Foundation
import TestSupport
import Testing

/// Tests custom plugins of users who have only the binary and an empty folder.
@Suite(.timeLimit(.minutes(10)))
struct CustomPluginTests {
  private let folder: String
  private static let repository = URL(filePath: LaunchRun.folder).deletingLastPathComponent().path

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "custom-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: folder + "/.git", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }

  private func flowrun(_ arguments: String..., input: String = "") throws -> FlowrunProcess.Result {
    try FlowrunProcess.run(
      arguments, in: folder, input: input, environment: ["XDG_CACHE_HOME": folder + "/cache"], limitSeconds: 120)
  }

  private func remove() { try? FileManager.default.removeItem(atPath: folder) }

  private func edit(_ file: String, _ old: String, _ new: String) throws {
    let path = "\(folder)/\(file)"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try #require(text.contains(old))
    try text.replacing(old, with: new).write(toFile: path, atomically: true, encoding: .utf8)
  }

  @Test(arguments: [
    ("swift", "main.swift", #"+ "!""#, #"+ "?""#, "HELLO?"),
    ("python", "plugin.py", #"+ "!""#, #"+ "?""#, "HELLO?"),
    ("node", "plugin.js", #"+ "!""#, #"+ "?""#, "HELLO?"),
    ("sh", "plugin.sh", #"$value!\"#, #"$value?\"#, "hello?"),
  ])
  func `a plugin created by flowrun plugins new works after one edit, and is not overwritten`(
    language: String, file: String, old: String, new: String, said: String
  ) throws {
    defer { remove() }
    let written = try flowrun("plugins", "new", "shout", "--language", language)
    #expect(written.exitCode == 0, "\(written.errors)")
    #expect(written.output.contains("wrote plugins/shout/\(file)"))
    try edit("plugins/shout/\(file)", old, new)
    try """
    name: hello
    steps: { say: { uses: shout.text, with: { text: hello } } }
    outputs: { said: "${{ steps.say.outputs.text }}" }
    """.write(toFile: folder + "/hello.yaml", atomically: true, encoding: .utf8)
    let run = try flowrun("hello.yaml")
    #expect(run.exitCode == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("said: \(said)"))
    let again = try flowrun("plugins", "new", "shout")
    #expect(again.exitCode == 64)
    #expect(
      again.errors == "flowrun: there is already something at 'plugins/shout'; choose another name or remove it\n")
  }

  @Test func `the example workflow with two custom plugins reads a calendar and writes an agenda`() throws {
    defer { remove() }
    let run = try flowrun(
      "\(Self.repository)/plugins/examples/custom.yaml", "--plugin-dir", "\(Self.repository)/plugins/examples",
      "--data",
      folder + "/data")
    #expect(run.exitCode == 0, "\(run.output)\(run.errors)")
    #expect(
      try String(contentsOfFile: folder + "/data/agenda.md", encoding: .utf8) == """
        # The trip to Kyoto

        ## 2026-05-02

        - **Hotel in Gion**, Kyoto
        - 09:00 **Train to Kyoto**, Tokyo Station, Marunouchi side

        ## 2026-05-03

        - 06:30 **Morning walk along the Philosopher's Path, before the crowds**

        ## 2026-05-04

        - 06:30 **Morning walk along the Philosopher's Path, before the crowds**

        ## 2026-05-06

        - 13:40 **Flight home**, Kansai International Airport

        """)
  }

  @Test func `an external plugin is listed, shown, completed and called like a built-in one, and is in the schema`()
    throws
  {
    defer { remove() }
    _ = try flowrun("plugins", "new", "shout", "--language", "sh")
    #expect(try flowrun("plugins").output.contains("  shout.text "))
    #expect(try flowrun("plugins", "show", "shout.text").output.contains("text  string, required — What to say"))
    #expect(try flowrun("schema").output.contains("shout.text"))
    let completed = try flowrun("---completion", "call", "--", "positional@0", "2", "0", "flowrun", "call", "")
    #expect(Set(completed.lines).isSuperset(of: ["shout.text", "flow.sleep"]), "\(completed)")
    #expect(
      try flowrun("call", "shout.text", "--with", #"{"text": "a"}"#).output == #"{"outputs":{"text":"a!"}}"# + "\n")
    let batch = try flowrun(
      "call", "shout.text", "--batch", input: "{\"text\": \"a\"}\n{\"text\": \"\"}\n{\"text\": 5}\n")
    let answers = try batch.lines.map { try JSONText.parse($0) }
    try #require(answers.count == 3, "\(batch)")
    #expect(answers[0]["outputs"]?["text"] == "a!")
    #expect(answers[1]["error"]?["code"] == "nothing-to-say")
    #expect(answers[2]["error"]?["code"] == "input")
    #expect(
      try flowrun("call", "shout.tex").errors
        == "flowrun: no action 'shout.tex' is installed; did you mean 'shout.text'?\n")
    try "name: hello\nsteps: { say: { uses: shout.text, with: { txt: 5 } } }\n".write(
      toFile: folder + "/hello.yaml", atomically: true, encoding: .utf8)
    let checked = try flowrun("validate", "hello.yaml")
    #expect(checked.exitCode == 2)
    #expect(checked.output.contains("did you mean 'text'?"), "\(checked.output)")
  }

  @Test func `every built-in plugin passes flowrun plugins check`() throws {
    defer { remove() }
    let names = try flowrun("plugins").lines.filter { $0.hasSuffix("  built in") }.map {
      String($0.split(separator: " ")[0])
    }
    #expect(names.count >= 5)
    for name in names {
      let result = try flowrun("plugins", "check", name)
      #expect(result.exitCode == 0, "\(name): \(result.output)\(result.errors)")
    }
  }

  @Test func `a plugin whose program is missing is reported before anything starts`() throws {
    defer { remove() }
    _ = try flowrun("plugins", "new", "shout", "--language", "python")
    try "name: hello\nsteps: { say: { uses: shout.text, with: { text: hello } } }\n".write(
      toFile: folder + "/hello.yaml", atomically: true, encoding: .utf8)
    #expect(try flowrun("validate", "hello.yaml").exitCode == 0)
    try edit("plugins/shout/plugin.yaml", "plugin.py", "plugn.py")
    let problem = "error: the program 'plugn.py' is not in the plugin's folder [program-missing]"
    let validated = try flowrun("validate", "hello.yaml")
    #expect(validated.exitCode == 2)
    #expect(validated.output.contains(problem), "\(validated.output)")
    #expect(validated.output.contains("= help: did you mean 'plugin.py'?"))
    let json = try flowrun("validate", "hello.yaml", "--format", "json")
    #expect(json.output.contains("program-missing"))
    let run = try flowrun("hello.yaml")
    #expect(run.exitCode == 2)
    #expect(run.errors.contains(problem), "\(run.errors)")
    let listed = try flowrun("plugins")
    #expect(listed.exitCode == 2)
    #expect(listed.errors.contains(problem))
    #expect(listed.output.contains("shout.text"))
    let shown = try flowrun("plugins", "show", "shout.text")
    #expect(shown.exitCode == 0)
    #expect(shown.errors.contains(problem))
    let checked = try flowrun("plugins", "check", "plugins/shout")
    #expect(checked.exitCode == 2)
    #expect(checked.errors.contains(problem))
    try "name: other\nsteps: { wait: { uses: flow.noop } }\n".write(
      toFile: folder + "/other.yaml", atomically: true, encoding: .utf8)
    #expect(try flowrun("validate", "other.yaml").exitCode == 0)
  }

  @Test func `two plugins with the same name cause an error that names both`() throws {
    defer { remove() }
    _ = try flowrun("plugins", "new", "shout", "--language", "sh")
    try FileManager.default.createDirectory(atPath: folder + "/more", withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: folder + "/plugins/shout", toPath: folder + "/more/shout")
    let result = try flowrun("plugins", "--plugin-dir", "more")
    #expect(result.exitCode == 2)
    #expect(result.errors.contains("two plugins are named 'shout': "))
    #expect(result.errors.contains("/more/shout/plugin.yaml and "))
  }

  @Test func `flowrun plugins check reports a failed test case and an invalid line of cases.jsonl`() throws {
    defer { remove() }
    _ = try flowrun("plugins", "new", "shout", "--language", "python")
    #expect(try flowrun("plugins", "check", "plugins/shout").exitCode == 0)
    try edit("plugins/shout/plugin.py", #".upper() + "!"}"#, #".lower() + "!"}"#)
    let result = try flowrun("plugins", "check", "plugins/shout")
    #expect(result.exitCode == 1)
    #expect(result.output.contains("case 1, shout.text: 'text': expected \"HELLO!\", got \"hello!\""))
    try "{\"action\": 5}\n".write(toFile: folder + "/plugins/shout/cases.jsonl", atomically: true, encoding: .utf8)
    let cases = try flowrun("plugins", "check", "plugins/shout")
    #expect(cases.exitCode == 2)
    #expect(cases.errors.hasSuffix("cases.jsonl:1: error: 'action' must be the name of an action\n"))
  }

  @Test func `no process of a plugin survives if flowrun is killed with -9 during a call`() throws {
    defer { remove() }
    _ = try flowrun("plugins", "new", "shout", "--language", "sh")
    try edit("plugins/shout/plugin.sh", "  log \"saying it louder\"", "  log \"$$\"; while :; do sleep 1; done")
    try "name: hello\nsteps: { say: { uses: shout.text, with: { text: hello } } }\n".write(
      toFile: folder + "/hello.yaml", atomically: true, encoding: .utf8)
    let process = try FlowrunProcess(["hello.yaml"], in: folder)
    try #require(process.waitForOutput("say: "))
    let line = try #require(process.outputSoFar.split(separator: "\n").first { $0.contains("say: ") })
    let number = try #require(Int(line.split(separator: " ").last ?? ""))
    #expect(Self.isRunning(number))
    process.send(SIGKILL)
    #expect(process.result().exitCode == 137)
    let deadline = ContinuousClock.now + .seconds(60)
    while Self.isRunning(number), ContinuousClock.now < deadline {}
    #expect(!Self.isRunning(number))
  }

  private static func isRunning(_ number: Int) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ""
    return status.split(separator: ")").last.map { !$0.hasPrefix(" Z") && !$0.isEmpty } ?? false
  }
}
