import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import Testing

@testable import ShellPlugin

/// Tests the outputs that a command writes to the file in `FLOWRUN_OUTPUT`.
@Suite(.timeLimit(.minutes(10))) struct `Named outputs` {
  private static let declared: ValueObject = [
    "version": ["type": "string", "required": false], "size": ["type": "integer", "required": false],
    "notes": ["type": "string", "required": false],
    "parts": ["type": "array", "items": ["type": "integer"], "required": false],
    "wait": ["type": "duration", "required": false], "any": ["type": "any", "required": false],
    "level": ["type": "string", "enum": ["low", "high"], "default": "low"],
  ]

  private let outputs = try? NamedOutputs(declaredBy: Self.declared)

  private func values(_ text: String) throws -> ValueObject {
    var values = try #require(outputs).values(in: Array(text.utf8))
    for (name, value) in values where value.isNull { values[name] = nil }
    if values["level"] == "low" { values["level"] = nil }
    return values
  }

  private func problem(_ bytes: [UInt8]?, _ declared: ValueObject = Self.declared) -> String {
    do {
      _ = try NamedOutputs(declaredBy: declared).values(in: bytes)
      return ""
    } catch {
      return (error as? NamedOutputs.OutputProblem)?.message ?? "\(error)"
    }
  }

  @Test(
    arguments: [
      ("version=1.2\n", ["version": "1.2"]), ("version=1.2", ["version": "1.2"]),
      ("version=1.2\r\n", ["version": "1.2"]),
      ("\u{FEFF}version=1\n", ["version": "1"]), ("\n\nversion=a=b\n\n", ["version": "a=b"]),
      ("version=\n", ["version": ""]),
      ("version=a<<b\n", ["version": "a<<b"]), ("version= a \n", ["version": " a "]),
      ("version=1\nversion=2\n", ["version": "2"]),
      ("size=42\n", ["size": 42]), ("parts=[1, 2]\n", ["parts": [1, 2]]), ("wait=1m30s\n", ["wait": "1m30s"]),
      ("any={\"a\": 1}\n", ["any": ["a": 1]]), ("any=text\n", ["any": "text"]), ("level=high\n", ["level": "high"]),
      ("notes<<EOF\none\n\n two=2\nEOF\nsize=1\n", ["notes": "one\n\n two=2", "size": 1]),
      ("notes<<EOF\nEOF\n", ["notes": ""]), ("notes<<EOF\n\nEOF", ["notes": ""]),
      ("notes<<a=b\nx\na=b\n", ["notes": "x"]),
      ("notes<<EOF\r\none\r\ntwo\r\nEOF\r\n", ["notes": "one\r\ntwo"]),
      ("notes<<E F\nE\n F\nE F\n", ["notes": "E\n F"]),
      ("notes<<EOF\né=\u{301}\nEOF\n", ["notes": "é=\u{301}"]), ("", [:]), ("\n", [:]),
    ] as [(String, ValueObject)])
  func `parses outputs in GitHub's format, according to their declared types`(text: String, expected: ValueObject)
    throws
  {
    #expect(try values(text) == expected)
  }

  @Test(arguments: [
    ("hello\n", "has a line 1 that is not 'name=value'"), ("=x\n", "has a line 1 that is not 'name=value'"),
    ("<<EOF\nEOF\n", "has a line 1 that is not 'name=value'"),
    (
      "notes=one\ntwo\n",
      "has a line 2 that is not 'name=value'; if it belongs to 'notes', write a value of several lines as notes<<END"
    ),
    ("notes<<EOF\none\n", "has no line \"EOF\" to end the value that begins in line 1"),
    ("notes<<EOF\none\n EOF\n", "has no line \"EOF\" to end"), ("notes<<\nx\n", "has no word after '<<' in line 1"),
    ("size=\n", "'size': expected an integer, found"), ("size=4 2\n", "'size': expected an integer"),
    ("size=1.5\n", "'size': expected an integer"), ("parts=[1, \"x\"]\n", "'parts[1]': expected an integer"),
    ("wait=5\n", "'wait': expected a duration"), ("level=middle\n", "'level': expected one of \"low\", \"high\""),
    ("verison=1\n", "has the undeclared output \"verison\" in line 1; declare it under 'outputs' of the step"),
    ("version = 1\n", "has the undeclared output \"version \" in line 1; write 'version=…' without spaces"),
    ("Version=1\n", "has the undeclared output \"Version\" in line 1"),
  ])
  func `reports the line or the name of an invalid output`(text: String, message: String) {
    #expect(problem(Array(text.utf8)).contains(message), "\(problem(Array(text.utf8)))")
  }

  @Test func `reports the line of an output that is not UTF-8`() {
    #expect(problem(Array("size=1\nversion=".utf8) + [0xFF, 0x0A]).hasPrefix("is not UTF-8 in line 2"))
  }

  @Test func `reports the names of missing required outputs`() {
    let declared: ValueObject = [
      "a": ["type": "string"], "b": ["type": "integer"], "c": ["type": "any", "required": false],
    ]
    #expect(problem([], declared).hasPrefix("lacks the outputs 'a', 'b'; write echo \"a=…\""))
    #expect(problem(Array("a=1\n".utf8), declared).hasPrefix("lacks the output 'b'"))
    #expect(problem(nil, declared).hasPrefix("was removed by the command, and so lacks the outputs 'a', 'b'"))
    #expect(problem(Array("a=1\nb=2\n".utf8), declared) == "")
  }

  @Test(
    arguments: [
      (["stdout": ["type": "string"]], "outputs.stdout"), (["Status": ["type": "string"]], "outputs.Status"),
      (["a": ["type": "text"]], "outputs.a.type"), (["a": "string"], "outputs.a"), (["a": [:]], "outputs.a"),
      (["a": ["type": "array", "items": ["type": "x"]]], "outputs.a.items.type"),
      (["a": ["type": "string", "default": 1]], "outputs.a.default"),
      (["a": ["type": "string"], "A": ["type": "string"]], "outputs.A"),
      (["a": ["type": "string", "secret": true]], "outputs.a.secret"),
      (["a": ["type": "string", "colour": "red"]], "outputs.a.colour"),
    ] as [(ValueObject, String)])
  func `reports an invalid output declaration before the run`(declarations: ValueObject, place: String) {
    let problems = RunShell.check(LiteralInput(["command": "true", "outputs": .object(declarations)]))
    #expect(problems.map(\.keyPath) == [place], "\(problems)")
  }

  @Test func `warns before the run if a literal command writes an undeclared output`() {
    let problems = RunShell.check(LiteralInput(["command": "echo a=1 >> $FLOWRUN_OUTPUT"]))
    #expect(problems.map(\.isWarning) == [true] && problems[0].help?.contains("outputs: {") == true)
    #expect(RunShell.check(LiteralInput(["command": "echo a=1"])).isEmpty)
  }

  // MARK: Commands

  private static let one: ValueObject = ["got": ["type": "string"]]

  private func run(_ command: String, _ declared: ValueObject = Self.one) async throws -> ValueObject {
    try await TestHost(workflowFolder: "/").call(
      RunShell.self, with: ["command": .string(command), "outputs": .object(declared)])
  }

  private func failure(_ command: String, _ declared: ValueObject = Self.one) async -> ActionError? {
    do {
      _ = try await run(command, declared)
      return nil
    } catch {
      return error as? ActionError
    }
  }

  @Test(arguments: [
    "echo got=yes >> \"$FLOWRUN_OUTPUT\"", "echo got=yes > \"$FLOWRUN_OUTPUT\"",
    "echo got=yes > \"$FLOWRUN_OUTPUT.new\"; mv \"$FLOWRUN_OUTPUT.new\" \"$FLOWRUN_OUTPUT\"",
    "rm \"$FLOWRUN_OUTPUT\"; echo got=yes >> \"$FLOWRUN_OUTPUT\"", "printf got=yes >> \"$FLOWRUN_OUTPUT\"",
    "test -f \"$FLOWRUN_OUTPUT\" && test ! -s \"$FLOWRUN_OUTPUT\" && cd / && sh -c 'echo got=yes >> \"$FLOWRUN_OUTPUT\"'",
    "d=${FLOWRUN_OUTPUT%/*}; mkdir \"$d/more\"; echo got=yes > \"$d/more/x\"; ln -sf more/x \"$FLOWRUN_OUTPUT\"",
  ])
  func `reads the output file even if the command replaces it or makes it a symbolic link`(command: String) async throws
  {
    let outputs = try await run(command + "; echo \"$FLOWRUN_OUTPUT\"")
    #expect(outputs["got"] == "yes" && outputs["status"] == 0)
    let path = try #require(outputs["stdout"]?.stringValue)
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
  }

  @Test(arguments: [
    ("rm \"$FLOWRUN_OUTPUT\"", "output-invalid", "was removed by the command"),
    ("true", "output-invalid", "lacks the output 'got'"),
    ("rm \"$FLOWRUN_OUTPUT\"; mkdir \"$FLOWRUN_OUTPUT\"", "output-invalid", "is not a file any more"),
    ("rm \"$FLOWRUN_OUTPUT\"; mkfifo \"$FLOWRUN_OUTPUT\"", "output-invalid", "is not a file any more"),
    ("head -c 1048577 /dev/zero >> \"$FLOWRUN_OUTPUT\"", "output-too-large", "more than 1 MiB"),
    ("echo got=1 >> \"$FLOWRUN_OUTPUT\"; exit 3", "command-failed", "status 3"),
    ("echo got=1 >> \"$FLOWRUN_OUTPUT\"; kill -9 $$", "command-killed", "signal 9"),
  ])
  func `fails if the command fails or its outputs are invalid`(command: String, code: String, message: String) async {
    let error = await failure(command)
    #expect(error?.code == code && error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test func `accepts outputs of up to 1 MiB`() async throws {
    let outputs = try await run("{ printf got=; head -c 1048572 /dev/zero | tr '\\0' x; } >> \"$FLOWRUN_OUTPUT\"")
    #expect(outputs["got"]?.stringValue?.utf8.count == 1_048_572)
  }

  @Test func `prevents a process that outlives the step from writing outputs`() async throws {
    let outputs = try await run(
      "(setsid sh -c 'while [ -d \"${FLOWRUN_OUTPUT%/*}\" ]; do sleep 0.01; done; echo x=1 >> \"$FLOWRUN_OUTPUT\"' >/dev/null 2>&1 &)\n"
        + "echo got=\"$FLOWRUN_OUTPUT\" >> \"$FLOWRUN_OUTPUT\"")
    let path = try #require(outputs["got"]?.stringValue)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `unsets FLOWRUN_OUTPUT in a step that declares no outputs`() async throws {
    let environment: ValueObject = ["FLOWRUN_OUTPUT": "/nowhere/outer"]
    let outputs = try await TestHost(workflowFolder: "/", environment: ["FLOWRUN_OUTPUT": "/nowhere/step"]).call(
      RunShell.self, with: ["command": "echo \"${FLOWRUN_OUTPUT-none}\"", "env": .object(environment)])
    #expect(outputs["stdout"] == "none")
    #expect(Set(outputs.keys) == ["status", "stdout", "stderr"])
  }

  @Test func `creates a separate output file for each call, accessible only to the user`() async throws {
    let command =
      "ls -ld \"$FLOWRUN_OUTPUT\" \"${FLOWRUN_OUTPUT%/*}\" | cut -c1-10; echo \"got=$FLOWRUN_OUTPUT\" >> \"$FLOWRUN_OUTPUT\""
    let (first, second) = (try await run(command), try await run(command))
    #expect(first["stdout"] == "drwx------\n-rw-------" && first["got"] != second["got"])
  }
}
