import FlowModel
import Foundation
import TestSupport
import Testing

/// Tests outputs that commands write to the file in `FLOWRUN_OUTPUT`.
@Suite(.timeLimit(.minutes(10))) struct `Named outputs of commands` {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("flowrun-\(UInt64.random(in: 0 ... .max))")

    init(_ files: [String: String]) throws {
      try FileManager.default.createDirectory(
        at: url.appendingPathComponent("temporary"), withIntermediateDirectories: true)
      for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws {
      try text.write(to: url.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }

    func text(_ name: String) -> String {
      (try? String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)) ?? ""
    }

    func flowrun(_ arguments: String..., environment: [String: String] = [:]) throws -> FlowrunProcess.Result {
      try flowrun(arguments, environment: environment)
    }

    func flowrun(_ arguments: [String], environment: [String: String] = [:]) throws -> FlowrunProcess.Result {
      var variables = ["TMPDIR": url.appendingPathComponent("temporary").path]
      for (name, value) in environment { variables[name] = value }
      return try FlowrunProcess.run(arguments, in: url.path, environment: variables)
    }

    /// Returns the report that `--report` has written to a file.
    func report(_ name: String) throws -> Value {
      try JSONText.parse(String(contentsOf: url.appendingPathComponent(name), encoding: .utf8))
    }

    /// The names of files that are left in the temporary folder.
    var leftOver: [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: url.appendingPathComponent("temporary").path)) ?? ["?"]
    }
  }

  private static let workflow = """
    name: release
    steps:
      build:
        run: |
          echo "version=1.$FLOWRUN_ATTEMPT" >> "$FLOWRUN_OUTPUT"
          echo "parts=[3, 4]" >> "$FLOWRUN_OUTPUT"
          { echo "notes<<END"; printf 'one\\ntwo=2\\n'; echo END; } >> "$FLOWRUN_OUTPUT"
          test "$FLOWRUN_ATTEMPT" = 2
        retry: { attempts: 2, delay: 1ms }
        outputs:
          version: { type: string, description: What was built }
          parts: { type: array, items: { type: integer } }
          notes: { type: string }
          extra: { type: integer, default: 7 }
          spare: { type: string, required: false }
      each:
        needs: build
        foreach: ${{ steps.build.outputs.parts }}
        run: [sh, -c, 'echo "double=$((2 * N))" >> "$FLOWRUN_OUTPUT"']
        env: { N: "${{ item }}" }
        outputs: { double: { type: integer } }
      plain:
        uses: shell.run
        needs: build
        if: steps.build.outputs.extra == 7
        with: { command: 'echo "$VERSION"; echo done=true >> "$FLOWRUN_OUTPUT"' }
        env: { VERSION: "${{ steps.build.outputs.version }}" }
        outputs: { done: { type: boolean } }
    outputs:
      build: ${{ toJSON(steps.build.outputs) }}
      doubles: ${{ toJSON(steps.each.outputs.double) }}
      done: ${{ steps.plain.outputs.done || 'no' }}

    """

  private func check(_ result: FlowrunProcess.Result) {
    #expect(result.exitCode == 0, "\(result)")
    for text in [
      "\"version\": \"1.2\"", "\"notes\": \"one\\ntwo=2\"", "\"extra\": 7", "\"spare\": null", "plain: 1.2",
      "done: true",
    ] { #expect(result.output.contains(text), "\(text) in \(result.output)") }
    let numbers = result.output.components(separatedBy: "doubles: ").last?.filter { $0.isNumber || $0 == "," } ?? ""
    #expect(numbers.hasPrefix("6,8"), "\(result.output)")
  }

  @Test func `outputs have types and belong to one attempt or item, and no file is left behind`() throws {
    let folder = try Folder(["w.yaml": Self.workflow])
    check(try folder.flowrun("w.yaml"))
    #expect(folder.leftOver == [])
    #expect(try folder.flowrun("validate", "w.yaml").exitCode == 0)
  }

  @Test func `commands on workers produce the same outputs as local ones`() throws {
    let folder = try Folder(["w.yaml": Self.workflow])
    check(try folder.flowrun("w.yaml", "--on", "workers=2", "--report", "r.json"))
    let steps = try folder.report("r.json")["steps"]
    #expect(steps?["build"]?["begunAt"]?.numberValue != nil, "no worker has run the command")
    #expect(folder.leftOver == [])
    try folder.write(
      "name: w\nsteps:\n  a: { run: 'echo x=1 >> \"$FLOWRUN_OUTPUT\"', outputs: { y: { type: string } } }\n",
      to: "wrong.yaml")
    let wrong = try folder.flowrun("wrong.yaml", "--on", "workers=1")
    #expect(wrong.exitCode == 1 && wrong.output.contains("undeclared output \"x\" in line 1"), "\(wrong)")
  }

  @Test func `outputs of an up-to-date step are kept until their declaration changes`() throws {
    let text = """
      name: build
      steps:
        make:
          run: 'echo made >> log; echo "size=$(wc -c < in)" >> "$FLOWRUN_OUTPUT"'
          inputs-from: [in]
          outputs: { size: { type: integer } }
      outputs: { size: "${{ steps.make.outputs.size }}" }

      """
    let folder = try Folder(["w.yaml": text, "in": "four"])
    for _ in 1...2 {
      let run = try folder.flowrun("w.yaml")
      #expect(run.output.contains("size: 4"), "\(run)")
    }
    #expect(folder.text("log") == "made\n")
    try folder.write(text.replacing("type: integer", with: "type: number"), to: "w.yaml")
    let changed = try folder.flowrun("w.yaml")
    #expect(changed.exitCode == 0 && changed.output.contains("size: 4"), "\(changed)")
    #expect(folder.text("log") == "made\nmade\n")
  }

  @Test func `a resume keeps the outputs of finished steps`() throws {
    let folder = try Folder([
      "w.yaml": """
      name: w
      steps:
        first:
          run: 'echo ran >> log; echo id=a7 >> "$FLOWRUN_OUTPUT"'
          outputs: { id: { type: string } }
        second: { run: 'test -e ready && echo "has $ID"', needs: first, env: { ID: "${{ steps.first.outputs.id }}" } }

      """
    ])
    #expect(try folder.flowrun("w.yaml").exitCode == 1)
    try folder.write("", to: "ready")
    let resumed = try folder.flowrun("resume", "last")
    #expect(resumed.exitCode == 0 && resumed.output.contains("second: has a7"), "\(resumed)")
    #expect(folder.text("log") == "ran\n" && folder.leftOver == [])
  }

  @Test func `secrets in outputs are hidden, and can be passed on`() throws {
    let folder = try Folder([
      "w.yaml": """
      name: w
      secrets: { token: { env: TOKEN } }
      steps:
        first:
          run: 'echo "copy=$T" >> "$FLOWRUN_OUTPUT"'
          env: { T: "${{ secrets.token }}" }
          outputs: { copy: { type: string } }
        second: { run: 'echo "${#C} $C"', needs: first, env: { C: "${{ steps.first.outputs.copy }}" } }
        wrong:
          run: 'printf "%s\\n" "n=$T" "$T$T$T$T$T$T" >> "$FLOWRUN_OUTPUT"'
          env: { T: "${{ secrets.token }}" }
          outputs: { n: { type: integer } }
          optional: true
        undeclared:
          run: 'echo "$T$T$T$T$T$T=1" >> "$FLOWRUN_OUTPUT"'
          env: { T: "${{ secrets.token }}" }
          outputs: { n: { type: integer } }
          optional: true

      """
    ])
    let run = try folder.flowrun("w.yaml", "--report", "r.json", environment: ["TOKEN": "hunter2-and-more"])
    #expect(run.exitCode == 0 && run.output.contains("second: 16 ***"), "\(run)")
    for text in [run.output, run.errors, folder.text("r.json")] { #expect(!text.contains("hunter2"), "\(text)") }
    // Both steps fail because of what they write, so their messages could contain it.
    for id in ["wrong", "undeclared"] {
      let step = try folder.report("r.json")["steps"]?[id]
      #expect(step?["outcome"] == "failure" && step?["error"]?["code"] == "output-invalid", "\(id): \(run)")
    }
  }

  @Test func `outputs of a failed command are null, and no file is left after a failure or a timeout`() throws {
    let folder = try Folder([
      "w.yaml": """
      name: w
      steps:
        slow: { run: 'echo a=1 >> "$FLOWRUN_OUTPUT"; sleep 60', deadline: 100ms, optional: true, outputs: { a: { type: string } } }
        fails: { run: 'echo a=1 >> "$FLOWRUN_OUTPUT"; exit 1', optional: true, outputs: { a: { type: string } } }
      outputs: { failed: "${{ steps.fails.outputs.a }}", slow: "${{ steps.slow.outputs.a }}" }

      """
    ])
    let run = try folder.flowrun("w.yaml", "--report", "r.json")
    #expect(run.exitCode == 0 && folder.leftOver == [], "\(run)")
    let report = try folder.report("r.json")
    #expect(report["outputs"]?["failed"] == .null && report["outputs"]?["slow"] == .null)
    #expect(report["steps"]?["fails"]?["outcome"] == "failure")
    #expect(report["steps"]?["slow"]?["outcome"] == "timed-out")
  }

  @Test(arguments: [
    ("outputs: { a: { type: bool } }", "", "did you mean 'boolean'?"),
    ("outputs: { stdout: { type: string } }", "", "every command has the output 'stdout'"),
    ("outputs: [a]", "", "must be a mapping from name to declaration"),
    ("outputs: { a: { type: string, default: '${{ env.A }}' } }", "", "cannot hold an expression"),
    ("outputs: {}", "a", "'first' has no output 'a'"),
    ("outputs: { b: { type: string } }", "a", "'first' has no output 'a'"),
    ("outputs: { a: { type: string, required: false } }", "a", "may leave out the output 'a'"),
    ("outputs: { a: { type: string } }", "size", "'first' has no output 'size'"),
  ])
  func `declarations of outputs are checked before anything runs`(outputs: String, read: String, message: String) throws
  {
    var text = "name: w\nsteps:\n  first: { run: touch ran, \(outputs) }\n"
    if !read.isEmpty {
      text += "  second: { run: 'true', needs: first, env: { A: '${{ steps.first.outputs.\(read) }}' } }\n"
    }
    let folder = try Folder(["w.yaml": text])
    for arguments in [["validate", "w.yaml"], ["w.yaml"]] {
      let result = try folder.flowrun(arguments)
      #expect(result.exitCode == 2 && (result.output + result.errors).contains(message), "\(result)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("ran").path))
  }

  @Test func `the types of expressions that read outputs are checked`() throws {
    let folder = try Folder([
      "w.yaml": """
      name: w
      steps:
        first: { run: 'true', outputs: { n: { type: integer }, list: { type: array } } }
        wait: { uses: flow.sleep, needs: first, with: { for: "${{ steps.first.outputs.n }}" } }
        each: { run: 'true', needs: first, foreach: "${{ steps.first.outputs.n }}" }
        right: { run: 'true', needs: first, foreach: "${{ steps.first.outputs.list }}" }
        set: { uses: flow.set, with: { values: { a: 1 } }, outputs: { b: { type: string } } }

      """
    ])
    let result = try folder.flowrun("validate", "w.yaml")
    let text = result.output + result.errors
    #expect(
      result.exitCode == 2 && text.contains("w.yaml:4:") && text.contains("w.yaml:5:") && !text.contains("w.yaml:6:"),
      "\(text)")
    #expect(text.contains("'flow.set' declares its own outputs"), "\(text)")
  }

  @Test func `a missing temporary folder is reported`() throws {
    let folder = try Folder([
      "w.yaml": "name: w\nsteps:\n  a: { run: 'true', outputs: { a: { type: string, default: x } } }\n"
    ])
    let run = try folder.flowrun("w.yaml", environment: ["TMPDIR": "/nowhere"])
    #expect(
      run.exitCode == 1 && run.output.contains("cannot create the file for FLOWRUN_OUTPUT in '/nowhere'"), "\(run)")
  }

  @Test func `flowrun call accepts output declarations in an action's input`() throws {
    let folder = try Folder([:])
    let call = try folder.flowrun(
      "call", "shell.run", "--with",
      #"{"command": "echo n=5 >> \"$FLOWRUN_OUTPUT\"", "outputs": {"n": {"type": "integer"}}}"#)
    #expect(call.exitCode == 0 && call.output.contains(#""n":5"#), "\(call)")
  }

  #if os(Linux)
    /// Uses a real, small disk, which only root can create.
    @Test(.enabled(if: getuid() == 0)) func `a full disk fails the step instead of truncating outputs`() throws {
      let folder = try Folder([
        "w.yaml": """
        name: w
        steps:
          a:
            run: 'printf "text=%s" "$(head -c 40000 /dev/zero | tr "\\0" x)" >> "$FLOWRUN_OUTPUT" || true'
            outputs: { text: { type: string } }
          b:
            run: 'head -c 1000000 /dev/zero > "$TMPDIR/filler" || true; echo text=x >> "$FLOWRUN_OUTPUT" || true'
            outputs: { text: { type: string } }
            needs: a
            if: always()

        """
      ])
      let disk = folder.url.appendingPathComponent("temporary").path
      let (status, output) = try Shell.run("mount -t tmpfs -o size=32k none '\(disk)'")
      defer { _ = try? Shell.run("umount '\(disk)'") }
      try #require(status == 0, "\(output)")
      let run = try folder.flowrun("w.yaml")
      #expect(run.exitCode == 1)
      #expect(
        run.output.contains("FLOWRUN_OUTPUT ends in the middle of a line, and there is no space left in '\(disk)'"),
        "\(run)")
      #expect(run.output.contains("FLOWRUN_OUTPUT lacks the output 'text'"), "\(run)")
    }
  #endif
}
