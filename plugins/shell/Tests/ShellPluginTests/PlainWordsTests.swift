import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import TestSupport
import Testing

@testable import ShellPlugin

@Suite(.timeLimit(.minutes(10))) struct `A command of plain words` {
  private let host = TestHost(workflowFolder: "/")

  private func run(_ command: Value, _ more: ValueObject = [:]) async throws -> ValueObject {
    var inputs = more
    inputs["command"] = command
    return try await host.call(RunShell.self, with: inputs)
  }

  @Test func `splits a command of plain words into a program and its arguments`() {
    let words: [(String, [String])] = [
      ("sleep 1", ["sleep", "1"]), ("make", ["make"]), ("  make\t-j4  test\n", ["make", "-j4", "test"]),
      ("./build.sh --mode=fast a,b:c+d@e%f", ["./build.sh", "--mode=fast", "a,b:c+d@e%f"]),
      ("/usr/bin/env A=1 x_y.z", ["/usr/bin/env", "A=1", "x_y.z"]),
    ]
    for (text, expected) in words { #expect(PlainWords.words(of: text) == expected, "\(text)") }
  }

  @Test func `does not split a script that contains anything a shell must interpret`() {
    let texts = [
      "", " ", "\n", "echo a", "true", "cd /", "exec make", "if x", "test -e a", "[ -e a ]", ". file", ": a",
      "A=1 make",
      "=x", "make test; x", "make &", "make | x", "make > x", "make < x", "make $X", "make `x`", "make 'a'",
      "make \"a\"",
      "make a\\ b", "make *.c", "make a?", "make [ab]", "make {a,b}", "make ~", "make ~/x", "make # x", "make !x",
      "make ^x",
      "make (x)", "make a\nmake b", "make é", "setsid server", "time make", "kill 1", "make\u{0}", "make\r",
    ]
    for text in texts { #expect(PlainWords.words(of: text) == nil, "\(text)") }
  }

  @Test func `recognizes plain words only in scripts for the default shell or sh`() throws {
    for (shell, isPlain) in [("sh", true), ("bash", false), ("sh -c {0}", false), ("python", false)] {
      let command = try Command("make test", shell: try ShellTemplate(shell))
      #expect((command.plainWords != nil) == isPlain, "\(shell)")
    }
    #expect(try Command("make test").plainWords == ["make", "test"])
    #expect(try Command(["make", "test"]).plainWords == nil)
    var command = try Command("make test")
    try command.append(arguments: ["x"], to: .plain)
    #expect(command.plainWords == nil)
  }

  #if os(Linux)
    @Test func `starts a command of plain words without a shell`() async throws {
      // The fields of this file are `number (name) state parent …`.
      let fields = try await run("cat /proc/self/stat")["stdout"]?.stringValue?.split(separator: " ") ?? []
      #expect(fields.count > 3 && fields[3] == "\(getpid())", "\(fields)")
      // `cat` leads its process group. If a shell had started it, the shell would be the leader.
      #expect(fields.count > 4 && fields[4] == fields[0], "\(fields)")
    }
  #endif

  @Test func `sets PWD to the working folder of the command`() async throws {
    #expect(try await run("printenv PWD")["stdout"] == "/")
    #expect(try await run("printenv PWD", ["cwd": "usr"])["stdout"] == "/usr")
    #expect(try await run("printenv PWD", ["env": ["PWD": "/no/such/folder"]])["stdout"] == "/")
  }

  @Test func `runs the first matching program in the step's PATH`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "plain-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder + "/first/tool", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: folder + "/second", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let mode = [FileAttributeKey.posixPermissions: 0o755]
    // A script without `#!` must be run by the shell.
    for (name, text) in [("tool", "#!/bin/sh\necho tool $1\n"), ("bare", "echo bare $1\n")] {
      #expect(
        FileManager.default.createFile(atPath: "\(folder)/second/\(name)", contents: Data(text.utf8), attributes: mode))
    }
    let path = Value.string("\(folder)/first:\(folder)/second:/usr/bin:/bin")
    // A folder with a matching name is not a program.
    #expect(try await run("tool 1", ["env": ["PATH": path]])["stdout"] == "tool 1")
    #expect(try await run("bare 2", ["env": ["PATH": path]])["stdout"] == "bare 2")
    #expect(try await run("./tool 3", ["cwd": .string(folder + "/second")])["stdout"] == "tool 3")
    #expect(
      try await run("tool 4", ["cwd": .string(folder + "/second"), "env": ["PATH": ".:/usr/bin:/bin"]])["stdout"]
        == "tool 4")
  }

  @Test func `fails like a shell if the program does not exist`() async throws {
    for command in ["no-such-program-here a", "./no-such-program-here"] {
      // In a folder of PATH that this user cannot read, a shell would be denied permission.
      let outputs = try await run(
        .string(command), ["success-statuses": [127], "env": ["PATH": "/usr/bin:/bin"]])
      #expect(outputs["status"] == 127)
      #expect(outputs["stderr"]?.stringValue?.contains("not found") == true, "\(outputs)")
    }
  }

  @Test func `reports a signal as the exit status that a shell would report`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "killed-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    #expect(
      FileManager.default.createFile(
        atPath: file, contents: Data("#!/bin/sh\nkill -9 $$\n".utf8), attributes: [.posixPermissions: 0o755]))
    #expect(try await run(.string(file), ["success-statuses": [137]])["status"] == 137)
    do {
      _ = try await run(.string(file))
      Issue.record("the command succeeded")
    } catch {
      let error = try #require(error as? ActionError)
      #expect(error.code == "command-killed" && error.exitStatus == 137)
    }
  }
}
