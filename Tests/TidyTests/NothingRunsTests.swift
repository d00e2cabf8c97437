import Foundation
import TestSupport
import Testing

/// Checks that subcommands that only read a workflow run no part of it, as `docs/security.md` promises.
@Suite(.timeLimit(.minutes(5))) struct NothingRunsTests {
  private let folder: URL
  /// The file to which each command, each secret's command and each plugin's program appends its name.
  private var marks: String { folder.path + "-marks.txt" }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("nothing-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent(".git"), withIntermediateDirectories: true)
    let scaffold = try FlowrunProcess.run(["plugins", "new", "shout", "--language", "sh"], in: folder.path)
    #expect(scaffold.exitCode == 0, "\(scaffold.errors)")
    let program = folder.appendingPathComponent("plugins/shout/plugin.sh")
    let text = try String(contentsOf: program, encoding: .utf8)
    try "echo plugin >> '\(marks)'\n\(text)".write(to: program, atomically: true, encoding: .utf8)
    try write(
      """
      name: part
      steps:
        inside: { run: echo include >> '\(marks)' }
      """, to: "part.yaml")
    try write(
      """
      name: mark
      inputs: { kind: { type: string, default: x } }
      secrets: { token: { command: [sh, -c, "echo secret >> '\(marks)'; echo 12345678"] } }
      env-file: { path: .env, required: false }
      steps:
        list: { run: "echo list >> '\(marks)'; echo one", inputs-from: ["*.yaml"], produces: ["*.flow"] }
        each:
          needs: list
          foreach: ${{ lines(steps.list.outputs.stdout) }}
          run: echo item >> '\(marks)'
        send: { run: echo send >> '\(marks)', inputs-from: [part.yaml], env: { TOKEN: "${{ secrets.token }}" } }
        tool: { uses: shout.text, with: { text: hello } }
        part: { uses: ./part.yaml }
      finally:
        last: { run: echo finally >> '\(marks)' }
      """, to: "flowrun.yaml")
  }

  private func write(_ text: String, to name: String) throws {
    try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
  }

  private func removeAll() {
    try? FileManager.default.removeItem(at: folder)
    try? FileManager.default.removeItem(atPath: marks)
  }

  /// Returns the names of the programs that have run since the last call.
  private func whatRan() -> Set<String> {
    let text = (try? String(contentsOfFile: marks, encoding: .utf8)) ?? ""
    try? FileManager.default.removeItem(atPath: marks)
    return Set(text.split(separator: "\n").map(String.init))
  }

  private func expectNothing(_ calls: [[String]]) throws {
    for call in calls {
      let result = try FlowrunProcess.run(call, in: folder.path)
      #expect(result.exitCode == 0 || call.first == "export", "\(call): \(result.errors)")
      #expect(!(result.output + result.errors).isEmpty || call.first == "compile", "\(call)")
      #expect(whatRan() == [], "\(call)")
    }
  }

  @Test func `subcommands that only read workflows or runs do not start any program`() throws {
    defer { removeAll() }
    let file = "flowrun.yaml"
    try expectNothing([
      [], ["validate", file], ["validate", file, "--format", "json"], ["graph", file], ["graph", file, "--files"],
      ["graph", file, "--format", "json"], [file, "--explain"], [file, "send", "--explain"], ["each", "--explain"],
      ["simulate", file, "--runs", "10"], ["compile", file, "-o", "out.flow"], ["export", file, "--format", "slurm"],
      ["plugins"], ["plugins", "show", "shout.text"], ["schema"],
      ["---completion", "run", "--", "positional@0", "1", "0", "flowrun", ""],
      ["---completion", "run", "--", "positional@1", "2", "0", "flowrun", file, ""],
    ])
    let run = try FlowrunProcess.run([file], in: folder.path)
    #expect(run.exitCode == 0, "\(run.errors)")
    #expect(whatRan() == ["secret", "list", "item", "send", "plugin", "include", "finally"])
    try expectNothing([
      [file, "--explain"], ["runs"], ["runs", "show", "last"], ["logs", "last"], ["analyze", "last"],
      ["resume", "last", "--dry-run"],
    ])
  }

  @Test func `--explain names a secret without running its command`() throws {
    defer { removeAll() }
    let result = try FlowrunProcess.run(["flowrun.yaml", "--explain"], in: folder.path)
    #expect(result.lines.contains("send: runs: it reads the secret 'token', whose command does not run here"))
  }

  @Test func `the language server does not start any program`() throws {
    defer { removeAll() }
    let address = "file://\(folder.path)/flowrun.yaml"
    let text = try String(contentsOf: folder.appendingPathComponent("flowrun.yaml"), encoding: .utf8)
    let document: [String: Any] = ["uri": address]
    let position: [String: Any] = ["textDocument": document, "position": ["line": 5, "character": 4]]
    let messages: [[String: Any]] = [
      [
        "id": 1, "method": "initialize",
        "params": ["capabilities": [String: String](), "rootUri": "file://\(folder.path)"],
      ],
      ["method": "initialized", "params": [String: String]()],
      [
        "method": "textDocument/didOpen",
        "params": ["textDocument": ["uri": address, "languageId": "yaml", "version": 1, "text": text]],
      ],
      ["id": 2, "method": "textDocument/completion", "params": position],
      ["id": 3, "method": "textDocument/hover", "params": position],
      ["id": 4, "method": "textDocument/documentSymbol", "params": ["textDocument": document]],
    ]
    var input = ""
    for var message in messages {
      message["jsonrpc"] = "2.0"
      let body = try JSONSerialization.data(withJSONObject: message)
      input += "Content-Length: \(body.count)\r\n\r\n" + String(decoding: body, as: UTF8.self)
    }
    try write(input, to: "messages")
    // Standard input is closed only after the last response.
    let session = try Shell.run(
      """
      mkfifo in
      '\(FlowrunProcess.path)' lsp < in > out &
      exec 3> in
      cat messages >&3
      until grep -q '"id":4' out; do sleep 0.1; done
      exec 3>&-
      wait
      cat out
      """, in: folder.path, limitSeconds: 60)
    #expect(session.output.contains("\"id\":4"), "\(session.output)")
    #expect(whatRan() == [])
  }
}
