import Foundation
import TestSupport
import Testing

/// Tests the base folder of relative paths in an included file.
@Suite(.timeLimit(.minutes(10))) struct `The folder of an included file` {
  /// Returns the files of a workflow that includes a file from another folder, once as a step and once for each item.
  /// The included file prints the value of an expression or command.
  private static func files(_ library: String, caller: String = "") -> [String: String] {
    [
      "main.yaml": """
      name: main
      steps:
        flat: { uses: ./lib/l.yaml\(caller) }
        fan: { uses: ./lib/l.yaml, foreach: [1]\(caller) }
      outputs: { flat: "${{ steps.flat.outputs.o }}", fan: "${{ steps.fan.outputs.o[0] }}" }

      """,
      "lib/l.yaml": "name: l\n" + library + "\noutputs: { o: \"${{ steps.s.outputs.stdout }}\" }\n",
      "who": "main", "lib/who": "lib", "sub/who": "main/sub", "lib/sub/who": "lib/sub",
    ]
  }

  /// Runs `main.yaml` and returns the outputs of both includes: that of the step and that of the item.
  private func said(_ folder: WorkflowFolder, _ arguments: [String] = []) throws -> [String] {
    let result = try FlowrunProcess.run(["main.yaml", "--report", "r.json"] + arguments, in: folder.url.path)
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    let data = try Data(contentsOf: folder.url.appendingPathComponent("r.json"))
    let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let outputs = report["outputs"] as? [String: Any] ?? [:]
    return [outputs["flat"] as? String ?? "?", outputs["fan"] as? String ?? "?"]
  }

  private static let places: [[String]] = [[], ["--on", "workers=2"]]

  @Test(arguments: places) func `an included file's commands and paths use its folder`(_ place: [String]) throws {
    let steps: [(String, String)] = [
      ("run: [cat, who]", "lib"), ("run: [cat, who], with: { cwd: sub }", "lib/sub"),
      ("run: [cat, who], foreach: [1]", "lib"),
      ("run: 'cat $F', inputs-from: [who], env: { F: who }", "lib"),
      ("run: [cat, who], with: { cwd: \"${{ format('{0}', 'sub') }}\" }", "lib/sub"),
    ]
    for (step, expected) in steps {
      let isFanOut = step.contains("foreach")
      let folder = try WorkflowFolder(
        Self.files("steps: { s: { \(step) } }").mapValues {
          isFanOut ? $0.replacing("steps.s.outputs.stdout", with: "steps.s.outputs.stdout[0]") : $0
        })
      #expect(try said(folder, place) == [expected, expected], "\(step)")
    }
  }

  @Test(arguments: places) func `default paths are relative to the included file, and passed paths to the caller`(
    _ place: [String]
  ) throws {
    let library = """
      inputs: { d: { type: path, default: sub, base: file } }
      steps: { s: { run: [cat, who], with: { cwd: "${{ inputs.d }}" } } }
      """
    #expect(try said(try WorkflowFolder(Self.files(library)), place) == ["lib/sub", "lib/sub"])
    for passed in ["sub", "\"${{ format('{0}', 'sub') }}\""] {
      let folder = try WorkflowFolder(Self.files(library, caller: ", with: { d: \(passed) }"))
      #expect(try said(folder, place) == ["main/sub", "main/sub"], "\(passed)")
    }
    let nothing = try WorkflowFolder(Self.files(library, caller: ", with: { d: \"${{ fromJSON('null') }}\" }"))
    #expect(try said(nothing, place) == ["lib/sub", "lib/sub"])
    // A string is not a path until a key uses it as one. The file with that key determines the base folder.
    let text = library.replacing("type: path, default: sub, base: file", with: "type: string, default: sub")
    let given = try WorkflowFolder(Self.files(text, caller: ", with: { d: sub }"))
    #expect(try said(given, place) == ["lib/sub", "lib/sub"])
  }

  @Test func `a path that has already been resolved does not change in an included file`() throws {
    let folder = try WorkflowFolder([
      "main.yaml": """
      name: main
      inputs:
        d: { type: path, default: sub }
        more: { type: array, items: { type: path }, default: [sub] }
      steps:
        flat: { uses: ./lib/l.yaml, with: { d: "${{ inputs.d }}", e: "${{ inputs.more[0] }}" } }
      outputs: { flat: "${{ steps.flat.outputs.o }}" }
      """,
      "lib/l.yaml": """
      name: l
      inputs: { d: { type: string }, e: { type: string } }
      steps:
        one: { run: [cat, who], with: { cwd: "${{ inputs.d }}" } }
        two: { run: [cat, who], with: { cwd: "${{ inputs.e }}" } }
      outputs: { o: "${{ steps.one.outputs.stdout }} ${{ steps.two.outputs.stdout }}" }
      """,
      "sub/who": "main", "lib/sub/who": "lib", "shell/sub/who": "shell",
    ])
    func said(_ arguments: String...) throws -> String {
      let result = try FlowrunProcess.run(["../main.yaml"] + arguments, in: folder.url.path + "/shell")
      return result.output.split(separator: "\n").first { $0.hasPrefix("flat: ") }.map(String.init) ?? result.errors
    }
    #expect(try said() == "flat: main main")
    #expect(try said("-i", "d=sub", "-i", #"more=["sub"]"#) == "flat: shell shell")
  }

  @Test(arguments: places) func `in an included file, run.folder is the folder of the run`(_ place: [String]) throws {
    let folder = try WorkflowFolder(
      Self.files(#"steps: { s: { run: [cat, who], with: { cwd: "${{ run.folder }}" } } }"#))
    #expect(try said(folder, place) == ["main", "main"])
  }

  @Test(arguments: places) func `paths in an included file stay the same in a resume`(_ place: [String]) throws {
    let library = """
      steps:
        first: { run: 'test -e "$ROOT/ok"', env: { ROOT: "${{ run.folder }}" } }
        s: { run: [cat, who], needs: first }
      """
    let folder = try WorkflowFolder(Self.files(library))
    #expect(try FlowrunProcess.run(["main.yaml"] + place, in: folder.url.path).exitCode == 1)
    try folder.write("", to: "ok")
    let result = try FlowrunProcess.run(["resume", "last", "--report", "r.json"] + place, in: folder.url.path)
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(result.output.contains("flat: lib\n") && result.output.contains("fan: lib\n"), "\(result.output)")
  }

  @Test func `an action that flow.on calls uses the folder of the included file`() throws {
    let folder = try WorkflowFolder([
      "main.yaml": "name: main\nsteps: { i: { uses: ./lib/l.yaml } }\n",
      "lib/l.yaml": """
      name: l
      events: { tick: { repeats: true } }
      steps:
        on: { uses: flow.on, with: { event: tick, action: shell.run, with: { command: "pwd; cat who", cwd: sub } } }
        post: { uses: flow.post, needs: on, with: { event: tick } }
      """,
      "sub/who": "main", "lib/sub/who": "lib/sub",
    ])
    let result = try folder.flowrun("main.yaml")
    #expect(result.text.contains("i/on: lib/sub"), "\(result.text)")
  }

  @Test func `inputs-from paths in an included file are relative to that file's folder`() throws {
    let folder = try WorkflowFolder(Self.files("steps: { s: { run: [cat, who], inputs-from: [who] } }"))
    #expect(try said(folder) == ["lib", "lib"])
    let again = try folder.flowrun("main.yaml")
    #expect(again.text.contains("flat/s skipped: up-to-date"))
    // The caller's file of the same name is not an input.
    try folder.write("new", to: "who")
    #expect(try folder.flowrun("main.yaml").text.contains("flat/s skipped: up-to-date"))
    try folder.write("new", to: "lib/who")
    #expect(try said(folder) == ["new", "new"])
  }

  @Test(arguments: places) func `plugins are also found in the folder of an included file`(_ place: [String]) throws {
    var files = Self.files(#"steps: { s: { uses: local.say } }"#)
    files["lib/l.yaml"]?.replace("outputs.stdout", with: "outputs.said")
    files["lib/plugins/local/plugin.yaml"] = """
      protocol: 1
      name: local
      version: 1.0.0
      command: [python3, -u, say.py]
      actions:
        local.say:
          summary: Says where it is from
          portable: true
          outputs: { said: { type: string, description: Where } }
      """
    files["lib/plugins/local/say.py"] = """
      import json, sys
      for line in sys.stdin:
        call = json.loads(line)
        if call.get("method") == "initialize": result = {"name": "local", "version": "1.0.0", "actions": ["local.say"]}
        elif call.get("method") == "run": result = {"outputs": {"said": "lib"}}
        else: continue
        print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}), flush=True)
      """
    let folder = try WorkflowFolder(files)
    #expect(try said(folder, place) == ["lib", "lib"])
  }
}
