import Foundation
import Testing

/// Names from outside flowrun that differ only in Unicode normalization.
@Suite(.timeLimit(.minutes(10))) struct `Names that look equal` {
  private static let composed = "caf\u{E9}"
  private static let decomposed = "cafe\u{301}"

  @Test func `file names that look equal refer to different files in foreach, products and copies`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      steps:
        copy:
          foreach: { files: "raw/*.txt" }
          inputs-from: ["${{ item.path }}"]
          produces: ["out/${{ item.name }}"]
          run: 'mkdir -p out && cp "$P" "out/$N"'
          env: { P: "${{ item.path }}", N: "${{ item.name }}" }

      """, to: "w.yaml")
    for name in [Self.composed, Self.decomposed] { try tool.write("\(name.utf8.count)\n", to: "raw/\(name).txt") }
    let raw = try FileManager.default.contentsOfDirectory(atPath: tool.folder.appendingPathComponent("raw").path)
    guard raw.count == 2 else { return }
    let copied = try tool.run("w.yaml", "--on", "workers=1,files=copy")
    #expect(copied.exitCode == 0, "\(copied)")
    func made() throws -> [String] {
      let out = tool.folder.appendingPathComponent("out").path
      return try FileManager.default.contentsOfDirectory(atPath: out).map {
        try String(contentsOfFile: "\(out)/\($0)", encoding: .utf8)
      }.sorted()
    }
    #expect(try made() == ["5\n", "6\n"])
    try FileManager.default.removeItem(at: tool.folder.appendingPathComponent("out"))
    let here = try tool.run("w.yaml")
    #expect(here.exitCode == 0, "\(here)")
    #expect(try made() == ["5\n", "6\n"])
  }

  @Test func `names that look equal refer to different included files and different JSON members`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      steps:
        one: { uses: "./\(Self.composed).yaml" }
        two: { uses: "./\(Self.decomposed).yaml", needs: one }
        json:
          run: 'echo "$C $L"'
          env: { C: "${{ toJSON(fromJSON(env.JSON)) }}", L: "${{ join(fromJSON(env.JSON).*, '-') }}" }
      env: { JSON: '{"\(Self.composed)": 1, "\(Self.decomposed)": 2}' }

      """, to: "w.yaml")
    try tool.write("name: a\nsteps: { a: { run: echo from composed } }\n", to: "\(Self.composed).yaml")
    try tool.write("name: b\nsteps: { a: { run: echo from decomposed } }\n", to: "\(Self.decomposed).yaml")
    let result = try tool.run("w.yaml")
    #expect(result.exitCode == 0, "\(result)")
    for text in ["one/a: from composed", "two/a: from decomposed", "1-2"] {
      #expect(result.standardOutput.contains(text), "\(text): \(result)")
    }
  }

  @Test func `variables in the same env cause an error if their names look equal`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      "name: w\nsteps: { a: { run: env, env: { \(Self.composed): 1, \(Self.decomposed): 2 } } }\n", to: "w.yaml")
    let result = try tool.run("validate", "w.yaml")
    let text = result.standardOutput + result.standardError
    #expect(result.exitCode == 2 && text.contains("in Unicode normalization alone"), "\(result)")
  }

  @Test(arguments: [
    "env: { \(composed): 1 }\nsteps: { a: { run: env, env: { \(decomposed): 2 } } }",
    "steps: { a: { run: env, with: { env: { \(composed): 1, \(decomposed): 2 } } } }",
    "env: { \(composed): 1 }\nsteps: { a: { run: env, with: { env: { \(decomposed): 2 } } } }",
    "steps: { a: { run: env, env: { \(composed): 1 }, with: { env: { \(decomposed): 2 } } } }",
    "env: { TOK: 1 }\nsteps: { a: { run: env, env: { TO\u{212A}: 2 } } }",
  ])
  func `variables of a step cause an error if their names look equal, whatever their source`(text: String) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: w\n\(text)\n", to: "w.yaml")
    let result = try tool.run("validate", "w.yaml")
    let output = result.standardOutput + result.standardError
    #expect(result.exitCode == 2 && output.contains("in Unicode normalization alone"), "\(result)")
  }

  @Test func `a step fails if an expression defines variables with names that look equal`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      env: { JSON: '{"\(Self.composed)": "1", "\(Self.decomposed)": "2"}' }
      steps: { a: { run: env, with: { env: "${{ fromJSON(env.JSON) }}" } } }

      """, to: "w.yaml")
    let result = try tool.run("w.yaml")
    #expect(result.exitCode == 1, "\(result)")
    #expect(
      (result.standardOutput + result.standardError).contains(
        "differs from another one in Unicode normalization alone"),
      "\(result)")
  }

  @Test func `a combining mark is kept after the slash of an absolute path`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: w\nsteps: { a: { run: pwd, with: { cwd: \"/\u{301}none\" } } }\n", to: "w.yaml")
    let result = try tool.run("w.yaml")
    #expect(result.exitCode == 1, "\(result)")
    #expect((result.standardOutput + result.standardError).contains("in '/\u{301}none'"), "\(result)")
  }

  @Test func `products, inputs and items can have names that begin with a combining mark`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      steps:
        make:
          produces: ["out/\u{301}x.txt"]
          run: 'mkdir -p out && echo made > "out/$N"'
          env: { N: "\u{301}x.txt" }
        read:
          needs: make
          inputs-from: ["./out/\u{301}x.txt"]
          run: 'cat "out/$N"'
          env: { N: "\u{301}x.txt" }
        each:
          needs: make
          foreach: { files: "out/*.txt" }
          run: 'printf "item: "; cat "$P"'
          env: { P: "${{ item.path }}" }

      """, to: "w.yaml")
    let result = try tool.run("w.yaml")
    #expect(result.exitCode == 0 && result.standardOutput.contains("item: made"), "\(result)")
    let again = try tool.run("w.yaml")
    #expect(again.exitCode == 0 && again.standardOutput.contains("make skipped: up-to-date"), "\(again)")
  }

  @Test func `a message names a product in a folder with multibyte letters`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      steps:
        a: { run: touch out, produces: [out], if: "${{ env.N == '1' }}" }
        b: { run: touch out, produces: [out], if: "${{ env.N == '1' }}" }
      env: { N: "1" }

      """, to: "f\u{F6}lder-\u{E9}\u{E9}/w.yaml")
    let result = try tool.run("f\u{F6}lder-\u{E9}\u{E9}/w.yaml", "--no-history")
    #expect(result.standardOutput.contains("produces 'out', too"), "\(result)")
  }

  @Test func `a value after an equals sign can begin with a combining mark`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      "name: w\ninputs: { p: { type: string } }\nenv-file: .env\nsteps: { a: { run: 'printf %s \"$P$V\" | od -An -tx1', env: { P: \"${{ inputs.p }}\" } } }\n",
      to: "w.yaml")
    try tool.write("V=\u{338}v\n", to: ".env")
    let result = try tool.run("w.yaml", "-i", "p=\u{338}x")
    #expect(result.exitCode == 0 && result.standardOutput.contains("cc b8 78 cc b8 76"), "\(result)")
    for (option, value, expected) in [
      ("--event", "x@\u{338}1s", "this workflow has no such event"),
      ("--resources", "cpus=\u{338}4", "is not a number"),
      ("--launch", "user=\u{338}@x", "write --launch user=@OPTIONS.json"),
      ("--launch", "user=@\u{338}none", "cannot read"),
    ] {
      let result = try tool.run("w.yaml", "-i", "p=x", option, value)
      #expect(result.exitCode == 64 && result.standardError.contains(expected), "\(result)")
    }
  }
}
