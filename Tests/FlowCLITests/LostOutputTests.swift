#if os(Linux)
  import Foundation
  import Glibc
  import TestSupport
  import Testing

  /// Every failure to write output is reported by a message and an exit code.
  @Suite(.timeLimit(.minutes(10))) struct `Writing output` {
    private let tool: CommandLineTool

    init() throws {
      tool = try CommandLineTool()
      try tool.write("name: ok\nsteps: { a: { uses: flow.noop } }\n", to: "ok.yaml")
      try tool.write("name: bad\nsteps: { a: { uses: flow.fail, with: { message: boom } } }\n", to: "bad.yaml")
      try tool.write(
        "name: late\ndeadline: 10ms\nsteps: { a: { uses: flow.sleep, with: { for: 60ms } } }\n", to: "late.yaml")
      try tool.write("name: broken\nsteps: { a: { uses: flow.nop } }\n", to: "broken.yaml")
    }

    private func full(_ arguments: [String], input: String = "") throws -> FlowrunProcess.Result {
      try FlowrunProcess.run(arguments, in: tool.folder.path, input: input, standardOutput: "/dev/full")
    }

    @Test(arguments: [
      "schema", "schema --plugin", "eval 1", "validate ok.yaml", "validate ok.yaml --format json",
      "validate ok.yaml --format sarif", "graph ok.yaml", "graph ok.yaml --format json", "run ok.yaml",
      "run ok.yaml --json", "ok.yaml --strict", "plugins", "plugins show flow.noop", "plugins check flow",
      "call flow.noop", "sync simulate --hours 1", "--help", "help run", "--version", "late.yaml --strict",
    ])
    func `a failure to write standard output is reported with exit code 74`(arguments: String) throws {
      defer { tool.remove() }
      let result = try full(arguments.split(separator: " ").map(String.init))
      #expect(result.exitCode == 74)
      #expect(result.errors == "flowrun: cannot write standard output: No space left on device\n")
    }

    @Test(arguments: [
      ("bad.yaml", Int32(1)), ("broken.yaml", 2), ("validate broken.yaml", 2),
      ("call flow.fail --with {\"message\":\"boom\"}", 1),
    ])
    func `a failed run or check keeps its exit code if writing fails`(arguments: String, code: Int32) throws {
      defer { tool.remove() }
      #expect(try full(arguments.split(separator: " ").map(String.init)).exitCode == code)
    }

    @Test func `eval --batch and call --batch exit with 74 if their answers cannot be written`() throws {
      defer { tool.remove() }
      let lines = String(repeating: "{\"expr\":\"1\"}\n", count: 200_000)
      #expect(try full(["eval", "--batch"], input: lines).exitCode == 74)
      #expect(try full(["call", "flow.noop", "--batch"], input: lines).exitCode == 74)
    }

    @Test(arguments: [("ok.yaml", Int32(74)), ("bad.yaml", 1), ("late.yaml --strict", 74)])
    func `the result of a run is shown even if its report cannot be written`(arguments: String, code: Int32) throws {
      defer { tool.remove() }
      for option in ["--report", "--trace"] {
        let words = arguments.split(separator: " ").map(String.init)
        let output = try tool.run(words + [option, "/dev/full"])
        #expect(output.exitCode == code)
        #expect(output.standardError == "flowrun: cannot write '/dev/full': No space left on device\n")
        #expect(output.standardOutput.contains("in "))
      }
    }

    @Test(arguments: [
      ("no/such/r.json", "the folder 'no/such' does not exist"), (".", "it is a folder"),
      ("ok.yaml/r.json", "'ok.yaml' is not a folder"), ("/dev/null/r.json", "'/dev/null' is not a folder"),
    ])
    func `a report path that cannot be written is detected before anything runs`(path: String, cause: String) throws {
      defer { tool.remove() }
      let output = try tool.run("ok.yaml", "--report", path)
      #expect(
        output == .init(exitCode: 74, standardOutput: "", standardError: "flowrun: cannot write '\(path)': \(cause)\n"))
    }

    @Test func `an empty path, or one that would overwrite the workflow or another output, is rejected`() throws {
      defer { tool.remove() }
      try FileManager.default.createSymbolicLink(
        atPath: tool.folder.appendingPathComponent("link.yaml").path, withDestinationPath: "ok.yaml")
      try FileManager.default.createDirectory(
        at: tool.folder.appendingPathComponent("sub"), withIntermediateDirectories: true)
      for (arguments, message) in [
        (
          ["--report", "x.json", "--trace", "./sub/../x.json"],
          "--report and --trace name the same file, 'x.json'; name two"
        ),
        (["--report", "ok.yaml"], "--report 'ok.yaml' would overwrite the workflow; name another file"),
        (["--trace", "link.yaml"], "--trace 'link.yaml' would overwrite the workflow; name another file"),
        (["--report", ""], "--report is empty; name a file"),
        (["--data", ""], "--data is empty; name a folder, or leave --data out"),
      ] {
        let output = try tool.run(["ok.yaml"] + arguments)
        #expect(output == .init(exitCode: 64, standardOutput: "", standardError: "flowrun: \(message)\n"))
      }
      #expect(try tool.run("call", "flow.noop", "--data", "").exitCode == 64)
      #expect(try tool.run("ok.yaml", "--report", "/dev/null", "--trace", "/dev/null").exitCode == 0)
    }

    @Test func `a run exits with 74 if nothing reads from the pipe for its report`() throws {
      defer { tool.remove() }
      let pipe = tool.folder.appendingPathComponent("pipe").path
      #expect(mkfifo(pipe, 0o600) == 0)
      let output = try tool.run("ok.yaml", "--report", "pipe")
      #expect(output.exitCode == 74)
      #expect(output.standardError == "flowrun: cannot write 'pipe': nothing reads from it\n")
    }

    @Test func `a report can be written to a pipe that has a reader`() throws {
      defer { tool.remove() }
      let pipe = tool.folder.appendingPathComponent("pipe").path
      #expect(mkfifo(pipe, 0o600) == 0)
      let reader = open(pipe, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      #expect(try tool.run("ok.yaml", "--report", "pipe").exitCode == 0)
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(reader, &bytes, bytes.count)
      #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).hasSuffix("}\n"))
    }

    @Test func `a slow reader receives the whole output of a run unless a signal ends the run`() throws {
      defer { tool.remove() }
      let lines = TestExtent.count(usual: 20_000, release: 100_000, long: 100_000)
      try tool.write(
        """
        name: much
        steps:
          much: { uses: shell.run, with: { command: seq \(lines) } }
          long: { uses: flow.sleep, needs: much, with: { for: "${{ inputs.for }}" } }
        inputs: { for: { type: duration, default: 1ms } }
        """, to: "much.yaml")
      let pipe = tool.folder.appendingPathComponent("pipe").path
      #expect(mkfifo(pipe, 0o600) == 0)
      let reader = open(pipe, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      let patient = try FlowrunProcess(["much.yaml"], in: tool.folder.path, standardOutput: pipe)
      // The output is larger than the pipe. The reader starts late and reads small pieces.
      #expect(Self.isFull(reader))
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      var text: [UInt8] = []
      while !String(decoding: text.suffix(200), as: UTF8.self).contains("much: success"), text.count < 50_000_000 {
        let count = read(reader, &bytes, bytes.count)
        if count > 0 { text += bytes.prefix(count) } else { usleep(1000) }
        if count == 0, patient.hasEnded { break }
      }
      #expect(patient.result().exitCode == 0)
      #expect(String(decoding: text, as: UTF8.self).contains("much: \(lines)\n"))

      for signals in [1, 2] {
        let stopped = try FlowrunProcess(
          ["much.yaml", "-i", "for=600s", "--report", "report.json"], in: tool.folder.path, standardOutput: pipe)
        #expect(Self.isFull(reader))
        for _ in 0..<signals { stopped.send(SIGINT) }
        #expect(stopped.result(limitSeconds: 30).exitCode == 130)
        if signals == 1 {
          let report = try String(
            contentsOf: tool.folder.appendingPathComponent("report.json"), encoding: .utf8)
          #expect(report.contains(#""conclusion": "cancelled""#))
        }
        while read(reader, &bytes, bytes.count) > 0 {}
      }
    }

    /// Waits up to a minute until a pipe is full. Returns false if it does not fill.
    private static func isFull(_ reader: Int32) -> Bool {
      var (before, unchanged): (Int32, Int) = (-1, 0)
      for _ in 0..<3000 {
        var count: Int32 = 0
        guard ioctl(reader, UInt(FIONREAD), &count) == 0 else { return false }
        // The number of bytes that fit in the pipe depends on the size of the writes, so this waits until it stops
        // growing.
        unchanged = count > 10_000 && count == before ? unchanged + 1 : 0
        if unchanged == 20 { return true }
        before = count
        usleep(20_000)
      }
      return false
    }

    @Test func `a report keeps its permissions, and a link to it is followed`() throws {
      defer { tool.remove() }
      let files = FileManager.default
      func path(_ name: String) -> String { tool.folder.appendingPathComponent(name).path }
      try files.createDirectory(atPath: path("kept"), withIntermediateDirectories: true)
      try tool.write("old", to: "kept/real.json")
      try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path("kept/real.json"))
      try files.createSymbolicLink(atPath: path("link.json"), withDestinationPath: "kept/real.json")
      try files.createSymbolicLink(atPath: path("new.json"), withDestinationPath: "kept/made.json")
      #expect(try tool.run("ok.yaml", "--report", "link.json", "--trace", "new.json").exitCode == 0)
      #expect(try files.destinationOfSymbolicLink(atPath: path("link.json")) == "kept/real.json")
      #expect(try files.attributesOfItem(atPath: path("kept/real.json"))[.posixPermissions] as? Int == 0o600)
      #expect(try String(contentsOfFile: path("kept/real.json"), encoding: .utf8).hasPrefix("{"))
      #expect(try String(contentsOfFile: path("kept/made.json"), encoding: .utf8).hasPrefix("{"))
      #expect(try files.contentsOfDirectory(atPath: path("kept")).sorted() == ["made.json", "real.json"])
    }

    @Test(arguments: [("ok.yaml", "it is a file"), ("ok.yaml/below", "'%/ok.yaml' is a file")])
    func `the cause is reported if the data folder cannot be created`(data: String, cause: String) throws {
      defer { tool.remove() }
      let output = try tool.run("ok.yaml", "--data", data)
      let folder = tool.folder.path
      let shown = cause.replacingOccurrences(of: "%", with: folder)
      #expect(output.exitCode == 2)
      #expect(
        output.standardError
          == "flowrun: the data folder '\(folder)/\(data)' cannot be used: \(shown); name another one with --data\n")
    }
  }
#endif
