import Foundation
import TestSupport
import Testing

/// Tests steps that declare the files that they read and produce.
@Suite(.timeLimit(.minutes(10))) struct `A step that is up to date` {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("flowrun-\(UInt64.random(in: 0 ... .max))")

    init(_ files: [String: String]) throws { for (name, text) in files { try write(text, to: name) } }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws {
      let file = url.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }

    func flowrun(_ arguments: String..., environment: [String: String] = [:]) throws -> FlowrunProcess.Result {
      try FlowrunProcess.run(arguments, in: url.path, environment: environment)
    }

    /// Runs the workflow and returns the steps that ran, one word for each run of a step.
    func ran(_ arguments: String...) throws -> String {
      let log = url.appendingPathComponent("log")
      try? FileManager.default.removeItem(at: log)
      let result = try FlowrunProcess.run(arguments, in: url.path)
      #expect(result.exitCode == 0, "\(result)")
      return ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n").joined(separator: " ")
    }
  }

  private static let workflow = """
    name: build
    inputs: { flag: { type: string, default: plain } }
    steps:
      compile:
        run: 'echo compile >> log; mkdir -p out; cat src/*.c src/deep/*.c > out/app.o; wc -c < out/app.o'
        env: { FLAG: "${{ inputs.flag }}" }
        inputs-from: [src/**/*.c, "*.mk"]
        produces: [out/app.o]
      link:
        run: 'echo link >> log; cp out/app.o out/app; echo "$SIZE"'
        needs: compile
        env: { SIZE: "${{ steps.compile.outputs.stdout }}" }
        inputs-from: [out/app.o]
        produces: [out/app]
      always: { run: echo always >> log, needs: link }
    outputs: { size: "${{ steps.link.outputs.stdout }}" }
    """

  private func made() throws -> Folder {
    let folder = try Folder([
      "w.yaml": Self.workflow, "src/a.c": "aaa", "src/deep/b.c": "bbb", "src/note.txt": "n", "all.mk": "m",
      "src/.hidden.c": "h",
    ])
    #expect(try folder.ran("w.yaml") == "compile link always")
    return folder
  }

  @Test func `an up-to-date step is skipped and keeps its previous outputs, and the run continues`() throws {
    let folder = try made()
    let again = try folder.flowrun("w.yaml", "--report", "r.json")
    #expect(again.output.contains("compile skipped: up-to-date") && again.output.contains("link skipped: up-to-date"))
    #expect(again.output.contains("size: 6") && again.output.contains("build: success"), "\(again)")
    let report = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.url.appendingPathComponent("r.json")))
    let steps = (report as? [String: Any])?["steps"] as? [String: [String: Any]] ?? [:]
    #expect(steps["compile"]?["outcome"] as? String == "skipped")
    #expect(steps["compile"]?["reason"] as? String == "up-to-date")
    #expect(try folder.ran("w.yaml") == "always")
  }

  @Test(arguments: [
    ("src/a.c", "abc", "compile link always"), ("src/deep/new.c", "x", "compile link always"),
    ("all.mk", "other", "compile always"), ("src/note.txt", "other", "always"), ("src/.hidden.c", "other", "always"),
    ("src/a.c", "aaa", "always"), ("out/app.o", "broken", "compile always"), ("out/app", "broken", "link always"),
  ])
  func `a step runs only if the content of its files has changed`(file: String, text: String, ran: String) throws {
    let folder = try made()
    try folder.write(text, to: file)
    // A step that produces the same content as before does not make the readers of its products run.
    #expect(try folder.ran("w.yaml") == ran)
    #expect(try folder.ran("w.yaml") == "always")
  }

  @Test func `a step runs if a product is missing, inputs or the workflow have changed, or it is forced`() throws {
    let folder = try made()
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("out/app"))
    #expect(try folder.ran("w.yaml") == "link always")
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("src/deep/b.c"))
    try folder.write("c", to: "src/deep/c.c")
    #expect(try folder.ran("w.yaml") == "compile link always")
    #expect(try folder.ran("w.yaml", "-i", "flag=other") == "compile always")
    #expect(try folder.ran("w.yaml") == "compile always")
    try folder.write(Self.workflow.replacing("cp out/app.o", with: "cp -f out/app.o"), to: "w.yaml")
    #expect(try folder.ran("w.yaml") == "link always")
    #expect(try folder.ran("w.yaml", "--force", "link") == "link always")
    #expect(try folder.ran("w.yaml", "--force", "*") == "compile link always")
    let unknown = try folder.flowrun("w.yaml", "--force", "compil")
    #expect(unknown.exitCode == 64 && unknown.errors.contains("did you mean 'compile'?"), "\(unknown)")
  }

  /// Writes other bytes of the same length and restores the modification time.
  private func rewrite(_ name: String, _ text: String, in folder: Folder) throws {
    let path = folder.url.appendingPathComponent(name).path
    let date = try #require(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
  }

  @Test func `a step runs if a file was rewritten, even if the file has its old modification time`() throws {
    let folder = try made()
    let old = Date(timeIntervalSince1970: 1_000_000)
    for name in ["src/a.c", "out/app.o"] {
      let path = folder.url.appendingPathComponent(name).path
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
    }
    // The second run ensures that the recorded times are well in the past.
    #expect(try folder.ran("w.yaml") == "always")
    #expect(try folder.ran("w.yaml", "--force", "*") == "compile link always")
    try rewrite("src/a.c", "abc", in: folder)
    #expect(try folder.ran("w.yaml") == "compile link always")
  }

  @Test func `a step is skipped if its files were copied, touched or restored by a cache`() throws {
    let folder = try made()
    let path = folder.url.path
    for command in ["touch src/a.c", "cp -p src/a.c b && mv b src/a.c", "chmod 600 src/a.c", "touch -d @0 out/app.o"] {
      let process = try Process.run(URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", "cd '\(path)' && \(command)"])
      process.waitUntilExit()
      #expect(try folder.ran("w.yaml") == "always", "\(command)")
    }
  }

  @Test func `a step runs again until it has succeeded`() throws {
    let folder = try Folder([
      "w.yaml": """
      name: n
      steps: { a: { run: 'echo a >> log; echo x > made; test -e ok', inputs-from: [in], produces: [made] } }
      """, "in": "1",
    ])
    #expect(try folder.flowrun("w.yaml").exitCode == 1)
    #expect(try folder.flowrun("w.yaml").exitCode == 1)
    try folder.write("", to: "ok")
    #expect(try folder.ran("w.yaml") == "a")
    #expect(try folder.ran("w.yaml") == "")
  }

  @Test func `--explain reports which steps would run and why, without running anything`() throws {
    let folder = try made()
    #expect(
      try folder.flowrun("w.yaml", "--explain").output == """
        compile: up to date: nothing has changed since it succeeded
        link: up to date: nothing has changed since it succeeded
        always: runs: always runs (no inputs-from or produces)

        """)
    try folder.write("other", to: "src/a.c")
    let changed = try folder.flowrun("w.yaml", "--explain").output
    #expect(changed.contains("compile: runs: 'src/a.c' has changed\n"))
    #expect(changed.contains("link: runs: it needs 'compile', which runs and may change its results\n"))
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent(".flowrun"))
    #expect(try folder.flowrun("w.yaml", "--explain").output.contains("compile: runs: it has not succeeded here\n"))
    #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/.flowrun"))
  }

  @Test func `the recorded outputs of a step do not contain secrets`() throws {
    let folder = try Folder([
      "w.yaml": """
      name: n
      secrets: { token: { env: TOKEN } }
      steps:
        a: { run: 'echo "$T"', env: { T: "${{ secrets.token }}" }, inputs-from: [w.yaml] }
        b: { run: 'test "${#A}" = 14', env: { A: "${{ steps.a.outputs.stdout }}" }, needs: a }
      """
    ])
    for _ in 0..<2 {
      let run = try folder.flowrun("w.yaml", environment: ["TOKEN": "planted-secret"])
      #expect(run.exitCode == 0, "\(run)")
    }
    let names = FileManager.default.enumerator(atPath: folder.url.path)?.allObjects as? [String] ?? []
    #expect(names.contains { $0.hasSuffix("up-to-date/a.step") })
    for name in names {
      guard let bytes = FileManager.default.contents(atPath: "\(folder.url.path)/\(name)") else { continue }
      #expect(bytes.range(of: Data("planted-secret".utf8)) == nil, "\(name)")
    }
  }

  @Test func `a step whose outputs make it fail is not recorded as up to date`() throws {
    let text = String(repeating: "x", count: (1 << 20) + 1)
    let folder = try Folder([
      "w.yaml": "name: w\nsteps:\n  a: { uses: flow.set, inputs-from: [in], with: { values: { text: \(text) } } }\n",
      "in": "1",
    ])
    let result = try folder.flowrun("w.yaml")
    #expect(result.exitCode == 1 && result.output.contains("output-too-large"), "\(result.output.suffix(300))")
    // If the failed step were recorded, the next run would skip it and hide the failure.
    #expect(try folder.flowrun("w.yaml", "--explain").output == "a: runs: it has not succeeded here\n")
  }

  @Test func `--explain reports disabled steps and steps whose condition is false as skipped`() throws {
    let folder = try Folder([
      "w.yaml": """
      name: w
      inputs: { flag: { type: boolean, default: false } }
      steps:
        off: { run: 'true', enabled: false, inputs-from: [in] }
        switched: { run: 'true', enabled: "${{ inputs.flag }}", inputs-from: [in] }
        out: { run: 'true', if: inputs.flag, inputs-from: [in] }
        behind: { run: 'true', needs: [off, out], inputs-from: [in] }
        open: { run: 'true', needs: behind, if: steps.behind.outcome == 'success' }

      """, "in": "1",
    ])
    #expect(try folder.flowrun("w.yaml").exitCode == 0)
    #expect(
      try folder.flowrun("w.yaml", "--explain").output == """
        off: skipped: 'enabled' is false
        switched: skipped: 'enabled' is false
        out: skipped: its 'if' does not hold
        behind: up to date: nothing has changed since it succeeded
        open: runs: always runs (no inputs-from or produces), where its 'if' holds

        """)
    let flagged = try folder.flowrun("w.yaml", "--explain", "-i", "flag=true").output
    #expect(flagged.contains("switched: runs: it has not succeeded here\nout: runs: it has not succeeded here\n"))
    #expect(flagged.contains("behind: runs: it needs 'out', which runs and may change its results\n"))
  }

  @Test func `a step that was named in --force also runs when its run is resumed`() throws {
    let folder = try Folder([
      "w.yaml": """
      name: w
      steps:
        a: { run: 'test -e ok' }
        b: { run: 'echo b >> log', needs: a, inputs-from: [in] }

      """, "in": "1", "ok": "",
    ])
    #expect(try folder.ran("w.yaml") == "b")
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("ok"))
    #expect(try folder.flowrun("w.yaml", "--force", "b").exitCode == 1)
    try folder.write("", to: "ok")
    #expect(try folder.ran("resume") == "b")
  }

  @Test func `a step may read at most 100,000 files`() throws {
    let folder = try Folder(["w.yaml": "name: w\nsteps: { a: { run: echo a >> log, inputs-from: [many/*] } }\n"])
    let many = folder.url.appendingPathComponent("many")
    try FileManager.default.createDirectory(at: many, withIntermediateDirectories: true)
    for index in 0..<100_000 { close(creat(many.path + "/\(index)", 0o600)) }
    #expect(try folder.ran("w.yaml") == "a")
    #expect(try folder.ran("w.yaml") == "")
    close(creat(many.path + "/one-more", 0o600))
    let result = try folder.flowrun("w.yaml")
    #expect(
      result.exitCode == 1
        && result.output.contains("'inputs-from' matches more than 100000 files; name fewer [too-many-files]"),
      "\(result.output)")
  }
}
