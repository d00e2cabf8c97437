import Foundation
import TestSupport
import Testing

/// Tests the files named in `inputs-from` and `produces`.
@Suite(.timeLimit(.minutes(10))) struct NamedFilesTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("flowrun-\(UInt64.random(in: 0 ... .max))")

    init(_ workflow: String, _ files: [String: String] = [:]) throws {
      try write(workflow, to: "w.yaml")
      for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws {
      let file = url.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(at: url.appendingPathComponent(name)) }
    func text(_ name: String) -> String? { try? String(contentsOf: url.appendingPathComponent(name), encoding: .utf8) }

    func flowrun(_ arguments: String...) throws -> FlowrunProcess.Result {
      try FlowrunProcess.run(arguments, in: url.path)
    }

    /// Runs the workflow, which must succeed. Returns the steps that ran, one word for each run of a step.
    func ran(_ arguments: String...) throws -> String {
      try? remove("log")
      let result = try FlowrunProcess.run(["w.yaml"] + arguments, in: url.path)
      #expect(result.exitCode == 0, "\(result)")
      return (text("log") ?? "").split(separator: "\n").joined(separator: " ")
    }

    /// Runs the workflow, which must fail. Returns its output.
    func failure(_ arguments: String...) throws -> String {
      let result = try FlowrunProcess.run(["w.yaml"] + arguments, in: url.path)
      #expect(result.exitCode == 1, "\(result)")
      return result.output
    }
  }

  // MARK: Patterns

  @Test func `patterns may have alternatives, character classes and exclusions`() throws {
    let folder = try Folder(
      """
      name: w
      steps:
        b: { run: 'echo b >> log; cat src/ingest/b.c > out/b.js', inputs-from: ["src/{api,ingest}/[a-c].c", "!src/api/a.c"], produces: ["out/*.{js,css}"] }
        each: { foreach: { files: ["src/*/*.{c,h}", "!**/a.c"] }, needs: b, run: 'echo "$F" >> log', env: { F: "${{ item.name }}" } }

      """, ["src/api/a.c": "1", "src/ingest/b.c": "1", "src/ingest/x.c": "1", "src/ingest/h.h": "1", "out/old.txt": ""])
    #expect(try Set(folder.ran().split(separator: " ")) == ["b", "b.c", "h.h", "x.c"])
    #expect(try Set(folder.ran().split(separator: " ")) == ["b.c", "h.h", "x.c"])
    try folder.write("2", to: "src/ingest/b.c")
    #expect(try folder.ran().hasPrefix("b "))
    #expect(folder.text("out/b.js") == "2")
    for name in ["src/api/a.c", "src/ingest/x.c"] {
      try folder.write("3", to: name)
      #expect(try folder.ran().hasPrefix("b ") == false, "\(name)")
    }
    try folder.remove("out/b.js")
    #expect(try folder.ran().hasPrefix("b "))
  }

  @Test func `special characters in a path from an expression are literal`() throws {
    let folder = try Folder(
      """
      name: w
      inputs: { list: { type: array, default: ["a[1].txt", "{b,c}.txt", "*.txt"] } }
      steps:
        each:
          foreach: "${{ inputs.list }}"
          run: 'echo "$F" >> log; cp "$F" "out/$F"'
          env: { F: "${{ item }}" }
          inputs-from: ["${{ item }}"]
          produces: ["out/${{ item }}"]

      """, ["a[1].txt": "1", "{b,c}.txt": "1", "*.txt": "1", "a1.txt": "1", "b.txt": "1", "out/x": ""])
    #expect(try folder.ran().split(separator: " ").count == 3)
    #expect(try folder.ran() == "")
    try folder.write("2", to: "a1.txt")
    try folder.write("2", to: "b.txt")
    #expect(try folder.ran() == "")
    try folder.write("2", to: "a[1].txt")
    #expect(try folder.ran() == "a[1].txt")
    try folder.write("2", to: "{b,c}.txt")
    #expect(try folder.ran() == "{b,c}.txt")
  }

  @Test func `an exclusion that names a folder fails the step`() throws {
    let folder = try Folder(
      "name: w\nsteps: { a: { run: 'true', inputs-from: ['src/**', '!src/gen'] } }\n",
      ["src/gen/a.c": "", "src/b.c": ""])
    #expect(try folder.failure().contains("'!src/gen' names a folder, and excludes files only"))
  }

  @Test func `a dangling link causes a warning and does not become an item`() throws {
    let folder = try Folder(
      "name: w\nsteps: { a: { foreach: { files: '*.csv' }, run: 'echo \"$F\" >> log', env: { F: '${{ item.path }}' } } }\n",
      ["a.csv": ""])
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appendingPathComponent("b.csv").path, withDestinationPath: "gone")
    #expect(try folder.ran() == "a.csv")
    #expect(try folder.flowrun("w.yaml").output.contains("no item for 'b.csv', a link that leads to nothing"))
  }

  // MARK: Products

  @Test func `a step that does not create its product fails, and is not up to date in the next run`() throws {
    let folder = try Folder(
      "name: w\nsteps: { a: { run: 'echo a >> log; test ! -e ok || echo 1 > out', inputs-from: [in], produces: [out] } }\n",
      ["in": "1"])
    for _ in 0..<2 {
      #expect(try folder.failure().contains("'produces' names 'out', but the step has not made it [missing-product]"))
    }
    #expect(try folder.flowrun("w.yaml", "--explain").output == "a: runs: it has not succeeded here\n")
    try folder.write("", to: "ok")
    #expect(try folder.ran() == "a")
    #expect(try folder.ran() == "")
    try folder.remove("out")
    #expect(
      try folder.flowrun("w.yaml", "--explain").output == "a: runs: 'out', which it produces, is missing\n")
  }

  @Test func `an item that does not create its product fails`() throws {
    let folder = try Folder(
      """
      name: w
      steps:
        clean: { foreach: [a, b], fail-fast: false, run: 'mkdir -p clean; test "$N" = b || echo 1 > "clean/$N"', env: { N: "${{ item }}" }, produces: ["clean/${{ item }}"] }
        merge: { needs: clean, run: echo merge >> log }

      """)
    let text = try folder.failure()
    #expect(text.contains("'produces' names 'clean/b', but the step has not made it [missing-product]"), "\(text)")
    #expect(folder.text("log") == nil)
  }

  @Test func `a product left by a failed run counts only if it is written again`() throws {
    let folder = try Folder(
      """
      name: w
      steps:
        a:
          run: 'echo a >> log; if test -e write; then echo whole > out; elif test ! -e fine; then echo half > out; exit 1; fi'
          produces: [out]

      """)
    #expect(try folder.failure().contains("command-failed"))
    #expect(
      try folder.flowrun("w.yaml", "--explain").output
        == "a: runs: its last attempt did not succeed and left files that it produces\n")
    try folder.write("", to: "fine")
    for _ in 0..<2 {
      #expect(try folder.failure().contains("which an attempt that did not succeed has left"))
    }
    try folder.write("", to: "write")
    #expect(try folder.ran() == "a")
    #expect(try folder.ran() == "")
  }

  @Test func `a retry does not accept the product of the previous attempt`() throws {
    let folder = try Folder(
      """
      name: w
      steps:
        a: { run: 'test "$FLOWRUN_ATTEMPT" -gt 1 || { echo half > out; exit 1; }', retry: { attempts: 2, delay: 0s }, produces: [out] }

      """)
    #expect(try folder.failure().contains("which an attempt that did not succeed has left"))
  }

  @Test func `a product of an earlier successful run need not be written again`() throws {
    let folder = try Folder(
      "name: w\nsteps: { a: { run: 'echo a >> log; test -e out || echo 1 > out', inputs-from: [in], produces: [out] } }\n",
      ["in": "1"])
    #expect(try folder.ran() == "a")
    try folder.write("2", to: "in")
    #expect(try folder.ran() == "a")
    #expect(try folder.ran() == "")
  }

  @Test func `a product pattern that matches no file causes a warning and repeats the step unless required is set`()
    throws
  {
    let folder = try Folder("name: w\nsteps: { a: { run: echo a >> log, produces: ['out/*.js'] } }\n")
    #expect(try folder.ran() == "a")
    let again = try folder.flowrun("w.yaml")
    #expect(again.output.contains("'out/*.js' of 'produces' of step 'a' matches no file"), "\(again)")
    #expect(folder.text("log") == "a\na\n")
    try folder.write(
      "name: w\nsteps: { a: { run: echo a >> log, produces: [{ path: 'out/*.js', required: true }] } }\n", to: "w.yaml")
    #expect(try folder.failure().contains("'out/*.js' of 'produces' is required, but the step has made no such file"))
    try folder.write(
      "name: w\nsteps: { a: { run: echo a >> log, produces: [{ path: 'out/*.js', required: false }] } }\n", to: "w.yaml"
    )
    #expect(try folder.ran() == "a")
    #expect(try folder.ran() == "")
  }

  // MARK: Inputs

  @Test func `a missing input file fails the step before it starts`() throws {
    let folder = try Folder(
      "name: w\nsteps: { make: { run: 'echo make >> log', inputs-from: [input.txt] } }\n", ["inputs.txt": "1"])
    let text = try folder.failure()
    #expect(text.contains("'inputs-from' names 'input.txt', which does not exist"), "\(text)")
    #expect(text.contains("[missing-input]"))
    #expect(folder.text("log") == nil)
    let check = try folder.flowrun("validate", "w.yaml")
    #expect(
      check.exitCode == 0
        && check.output.contains("step 'make' reads 'input.txt', which does not exist and no step produces"), "\(check)"
    )
    try folder.write("1", to: "input.txt")
    #expect(try folder.ran() == "make")
    #expect(try !folder.flowrun("validate", "w.yaml").output.contains("does not exist"))
  }

  @Test func `an item fails if its input file is missing, and the other items run`() throws {
    let folder = try Folder(
      """
      name: w
      steps:
        a: { foreach: [x, y], fail-fast: false, run: 'echo "$N" >> log', env: { N: "${{ item }}" }, inputs-from: ["raw/${{ item }}"] }

      """, ["raw/x": "1"])
    #expect(try folder.failure().contains("'inputs-from' names 'raw/y', which does not exist"))
    #expect(folder.text("log") == "x\n")
  }

  @Test func `an input file may be missing if a step may produce it or if it is not required`() throws {
    let folder = try Folder(
      """
      name: w
      inputs: { all: { type: array, default: [p, q] } }
      steps:
        maker: { run: 'true', if: "false", produces: ["gen/${{ inputs.all[0] }}.txt"] }
        reader: { run: 'echo reader >> log', needs: maker, inputs-from: [gen/p.txt] }
        free: { run: 'echo free >> log', needs: reader, inputs-from: [{ path: none.ini, required: false }, "${{ inputs.all }}"] }
        own: { run: 'echo own >> log; echo 1 > state', needs: free, inputs-from: [state], produces: [state] }
        off: { run: 'true', needs: free, if: "false", inputs-from: [nowhere] }

      """)
    #expect(try folder.ran() == "reader free own")
    #expect(try folder.ran() == "own")
    #expect(try folder.ran() == "")
    try folder.write("1", to: "none.ini")
    #expect(try folder.ran() == "free")
    try folder.remove("none.ini")
    #expect(try folder.ran() == "free")
  }

  @Test func `an input pattern that matches no file causes a warning in each run, or an error if it is required`()
    throws
  {
    let folder = try Folder("name: w\nsteps: { a: { run: 'true', inputs-from: ['scr/*.c'] } }\n")
    for _ in 0..<2 {
      let run = try folder.flowrun("w.yaml")
      #expect(
        run.exitCode == 0 && run.output.contains("'scr/*.c' of 'inputs-from' of step 'a' matches no file"), "\(run)")
    }
    try folder.write(
      "name: w\nsteps: { a: { run: 'true', inputs-from: [{ path: 'scr/*.c', required: true }] } }\n", to: "w.yaml")
    #expect(
      try folder.failure().contains("'scr/*.c' of 'inputs-from' is required, but matches no file [missing-input]"))
    try folder.write(
      "name: w\nsteps: { a: { run: 'true', inputs-from: [{ path: 'scr/*.c', required: false }] } }\n", to: "w.yaml")
    #expect(try folder.flowrun("w.yaml").output.contains("matches no file") == false)
  }

  // MARK: Validation

  private static let refused: [(String, String)] = [
    ("[~/x]", "begins with '~'"), ("[a/**.c]", "write '**/*.c'"), ("['$HOME/x']", "has '$HOME'"),
    ("['!a']", "which excludes files of the patterns before it"), ("['[ab.c']", "has a '['"),
    ("['{a}.c']", "which is one alternative"), ("[src/{a,b}.c]", "quote a pattern"), ("[a, !b/c.c]", "quote a "),
    ("[a, {b,c}]", "quote a pattern with braces: '{b,c}'"),
  ]

  @Test(arguments: refused)
  func `validate reports unsupported patterns with a reason or a replacement`(patterns: String, words: String) throws {
    for key in ["inputs-from: \(patterns)", "produces: \(patterns)", "foreach: { files: \(patterns) }"] {
      let folder = try Folder("name: w\nsteps:\n  a: { run: 'true', \(key) }\n")
      let result = try folder.flowrun("validate", "w.yaml")
      if key.hasPrefix("foreach"), patterns.hasSuffix("{b,c}]") { continue }
      #expect(result.exitCode != 0 && (result.output + result.errors).contains(words), "\(key): \(result)")
    }
  }

  @Test func `validate warns about a file name that is written as a pattern`() throws {
    let folder = try Folder("name: w\nsteps: { a: { run: 'true', inputs-from: ['a[1].txt'] } }\n", ["a[1].txt": ""])
    #expect(
      try folder.flowrun("validate", "w.yaml").output.contains(
        "'a[1].txt' is a pattern, which does not match the file of this name"))
    try folder.write("name: w\nsteps: { a: { run: 'true', inputs-from: ['a\\[1\\].txt'] } }\n", to: "w.yaml")
    #expect(try folder.flowrun("validate", "w.yaml").output.contains("a pattern") == false)
    #expect(try folder.flowrun("w.yaml").exitCode == 0)
  }
}
