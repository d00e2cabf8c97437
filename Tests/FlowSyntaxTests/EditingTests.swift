import FlowDiagnostics
import FlowModel
import Testing

@testable import FlowSyntax

struct EditingTests {
  private func document(_ bytes: [UInt8]) -> WorkflowDocument {
    WorkflowDocument(bytes: bytes, file: "test.yaml", catalog: TestCatalog.standard)
  }

  @Test(arguments: BrokenWorkflow.all)
  func `an editor shows the same diagnostics as the validate subcommand`(workflow: BrokenWorkflow) throws {
    #expect(document(try workflow.bytes).result.diagnostics == (try workflow.result.diagnostics))
  }

  @Test(arguments: BrokenWorkflow.all)
  func `each proposed correction fixes the reported problem`(workflow: BrokenWorkflow) throws {
    let document = document(try workflow.bytes)
    for diagnostic in document.result.diagnostics {
      guard let word = diagnostic.correction?.word else {
        #expect(diagnostic.help?.contains("did you mean") != true, "nothing to write: \(diagnostic)")
        continue
      }
      let fix = try #require(
        document.fixes(in: diagnostic.span).first { $0.diagnostic == diagnostic }, "\(diagnostic.message)")
      #expect(fix.title == "Write '\(word)'")
      let mended = self.document(WorkflowDocument.text(document.source.bytes, with: fix.edits))
      #expect(
        !mended.result.diagnostics.contains {
          $0.message == diagnostic.message && $0.span.start == diagnostic.span.start
        },
        "\(workflow.name): \(diagnostic.message)")
    }
  }

  // MARK: A single table of keys

  /// Returns the keys that a schema allows in a mapping.
  private func schemaKeys(_ path: [String]) -> Set<String> {
    var value = WorkflowSchema(catalog: TestCatalog.standard).json()
    for part in path { value = value.objectValue?[part] ?? .null }
    return Set(value.objectValue?["properties"]?.objectValue?.keys ?? [])
  }

  @Test func `the schema, the parser and completion agree on the allowed keys`() throws {
    let maps: [([String], String, String)] = [
      ([], "", "¦\n"),
      (["definitions", "step"], "name: a\nsteps:\n  a:\n    ", "name: a\nsteps:\n  a:\n    ¦\n"),
      (
        ["definitions", "retry"], "name: a\nsteps:\n  a:\n    retry:\n      ",
        "name: a\nsteps:\n  a:\n    retry:\n      ¦\n"
      ),
      (
        ["definitions", "deadline"], "name: a\nsteps:\n  a:\n    deadline:\n      ",
        "name: a\nsteps:\n  a:\n    deadline:\n      ¦\n"
      ),
      (["definitions", "field"], "name: a\ninputs:\n  a:\n    ", "name: a\ninputs:\n  a:\n    ¦\n"),
    ]
    for (path, prefix, marked) in maps {
      let keys = schemaKeys(path)
      #expect(keys.count >= 2)
      let parts = marked.split(separator: "¦", omittingEmptySubsequences: false)
      let proposals = document(Array(parts.joined().utf8)).completions(at: parts[0].utf8.count).map(\.label)
      #expect(Set(proposals) == keys, "\(path)")
      for key in keys {
        let text = "\(prefix)\(key): 1\n"
        #expect(!document(Array(text.utf8)).result.diagnostics.contains { $0.code == .unknownKey }, "\(key)")
      }
      let wrong = document(Array("\(prefix)no-such-key: 1\n".utf8)).result.diagnostics
      #expect(wrong.contains { $0.code == .unknownKey }, "\(path)")
    }
  }

  private func labels(_ marked: String) -> [String] {
    let parts = marked.split(separator: "¦", omittingEmptySubsequences: false)
    return document(Array(parts.joined().utf8)).completions(at: parts[0].utf8.count).map(\.label)
  }

  @Test func `completion proposes contexts and functions in conditions`() {
    for condition in ["if: ¦", "if: s¦", "if: ${{ ¦ }}"] {
      let found = labels("name: a\nsteps:\n  a:\n    uses: flow.noop\n    \(condition)\n")
      #expect(found.contains("steps") && found.contains("always") && found.contains("success"), "\(condition)")
    }
    #expect(labels("name: a\nsteps: { a: { uses: flow.noop, if: ¦ } }\n").contains("failure"))
  }

  @Test(arguments: [
    ("shell: ¦", ["sh", "bash", "python"]), ("executor: ¦", ["local", "workers=4", "slurm=8"]),
    ("executor: slu¦", ["local", "workers=4", "slurm=8"]),
    ("executor: workers=2,¦", ["processes=", "files=", "scratch=", "worker="]),
    ("executor: workers=2,worker=x,pro¦", ["processes=", "files=", "scratch="]),
  ])
  func `completion proposes values for the shell and executor of a step`(line: String, expected: [String]) {
    #expect(labels("name: a\nsteps:\n  a:\n    run: echo\n    \(line)\n") == expected)
  }

  @Test func `completion proposes executors for defaults, including those of plugins`() {
    let text = Array("name: a\ndefaults:\n  executor: \nsteps: { a: { run: echo } }\n".utf8)
    let document = WorkflowDocument(
      bytes: text, file: "test.yaml", catalog: TestCatalog.standard,
      surroundings: .init(read: { _ in nil }, executors: ["dask"]))
    let offset = "name: a\ndefaults:\n  executor: ".utf8.count
    #expect(document.completions(at: offset).map(\.label) == ["local", "workers=4", "slurm=8", "dask="])
  }

  @Test func `completion proposes awaited events first in an input that names an event`() {
    let text =
      "name: a\nevents: [paid]\nsteps:\n  a: { uses: flow.noop, after: [sent, paid] }\n  b: { uses: flow.post, with: { event: ¦ } }\n"
    let found = labels(text)
    #expect(found.first == "sent" && found.contains("paid") && found.contains("ui.ready"))
    #expect(labels("name: a\nevents: [¦]\nsteps: { a: { uses: flow.noop, after: [sent, ui.ready] } }\n") == ["sent"])
  }

  @Test func `completion proposes only allowed keys in a step of finally`() {
    let keys = Set(labels("name: a\nsteps: { a: { uses: flow.noop } }\nfinally:\n  b:\n    ¦\n"))
    let all = Set(labels("name: a\nsteps:\n  b:\n    ¦\n"))
    #expect(all.subtracting(keys) == ["after", "defer", "blocking", "prewarm"])
    for key in all.subtracting(keys) {
      let value = key == "after" ? "ui.ready" : "true"
      let text = "name: a\nsteps: { a: { uses: flow.noop } }\nfinally:\n  b: { uses: flow.noop, \(key): \(value) }\n"
      #expect(document(Array(text.utf8)).result.diagnostics.contains { $0.code == .conflictingKeys }, "\(key)")
    }
  }

  @Test func `completion after uses lists every action of the catalog`() {
    let text = "name: a\nsteps:\n  a:\n    uses: "
    let proposals = document(Array(text.utf8)).completions(at: text.utf8.count).map(\.label)
    #expect(proposals == TestCatalog.standard.declarations.map(\.name))
  }

  @Test func `every proposed function and context is accepted by the parser`() {
    let text = "name: a\nsteps:\n  a:\n    uses: flow.noop\n    defer: true\n    if: x"
    let proposals = document(Array(text.utf8)).completions(at: text.utf8.count)
    for proposal in proposals {
      let call =
        switch proposal.label {
        case "contains", "startsWith", "endsWith", "split": "('a', 'b')"
        case "format", "join", "toJSON", "fromJSON", "trim", "lines": "('1')"
        case "replace": "('a', 'b', 'c')"
        case "first", "last": "('a', 1)"
        case "case": "(true, 1, 2)"
        default: proposal.kind == .function ? "()" : ""
        }
      let text = "name: a\nsteps:\n  a:\n    uses: flow.noop\n    defer: true\n    if: \(proposal.label)\(call)\n"
      let problems = document(Array(text.utf8)).result.diagnostics.filter {
        $0.code == .expressionSyntax || $0.code == .contextUnavailable
      }
      #expect(problems.isEmpty, "\(proposal.label): \(problems.map(\.message))")
    }
    #expect(proposals.count { $0.kind == .function } == 18)
    #expect(proposals.count { $0.kind == .context } == 7)
  }

  @Test func `completion proposes declared outputs of a step, and hover shows their descriptions`() {
    let step =
      "  a: { run: make, outputs: { version: { type: string, description: What was built }, size: { type: integer } } }\n"
    let head = "name: a\nsteps:\n\(step)  b: { run: x, needs: a, env: { V: \"${{ steps.a.outputs."
    #expect(labels(head + "¦ }}\" } }\n") == ["stdout", "version", "size"])
    let text = head + "version }}\" } }\n"
    let hover = document(Array(text.utf8)).hover(at: text.utf8.count - 10)
    #expect(hover?.text.contains("What was built") == true, "\(hover?.text ?? "nothing")")
    #expect(
      Set(labels("name: a\nsteps:\n  a:\n    run: make\n    outputs:\n      v:\n        ¦\n"))
        == schemaKeys(["definitions", "field"]))
  }

  @Test func `the description of a function states if GitHub Actions does not have the function`() {
    let text = "name: a\nsteps:\n  a:\n    run: x\n    if: trim('a') == 'a'\n"
    let hover = document(Array(text.utf8)).hover(at: text.utf8.count - 16)
    #expect(hover?.text.contains("GitHub Actions does not have it") == true, "\(hover?.text ?? "nothing")")
    let names = document(Array("name: a\nsteps: { a: { run: x, if:  } }\n".utf8)).completions(at: 34)
    #expect(names.first { $0.label == "lines" }?.documentation.contains("GitHub Actions does not have it") == true)
  }

  @Test func `completion proposes only inputs in the expressions of env-file`() {
    #expect(
      labels("name: a\ninputs: { stage: { type: string } }\nenv-file: \"${{ inputs.¦ }}\"\nsteps: { a: { run: x } }\n")
        == ["stage"])
    #expect(!labels("name: a\nenv-file: [\"${{ ¦ }}\"]\nsteps: { a: { run: x } }\n").contains("env"))
  }

  // MARK: Expressions in commands

  @Test(arguments: [
    ("inputs.title", "TITLE"), ("item.path", "ITEM_PATH"), ("env.HOME", "ENV_HOME"), ("inputs.user", "INPUTS_USER"),
  ])
  func `the suggested variable for an expression is one that no shell uses`(text: String, name: String) throws {
    let head =
      "name: a\ninputs: { title: { type: string }, user: { type: string } }\nsteps:\n  a:\n    foreach: { files: '*' }\n"
    let document = document(Array((head + "    run: echo \"${{ \(text) }}\"\n").utf8))
    let problem = try #require(document.result.diagnostics.first { $0.code == .textInCommand })
    #expect(problem.help?.contains("env: { \(name): \"${{ \(text) }}\" }") == true, "\(problem)")
  }

  @Test(arguments: [
    ("run: echo ${{ inputs.title }}", "run: echo \"$TITLE\""),
    ("run: echo \"it is ${{inputs.title}}\"", "run: echo \"it is $TITLE\""),
    ("run: echo 'it is ${{ inputs.title }}x'", "run: echo 'it is '\"${TITLE}\"'x'"),
    ("run: \"echo ${{ inputs.title }}\"", "run: \"echo \\\"$TITLE\\\"\""),
    ("run: |\n      true\n      echo ${{ inputs.title }}", "run: |\n      true\n      echo \"$TITLE\""),
  ])
  func `the fix for an expression in a command passes it as a quoted variable`(command: String, expected: String) throws
  {
    let head = "name: a\ninputs: { title: { type: string } }\nsteps:\n  a:\n    "
    let before = document(Array((head + command + "\n").utf8))
    let problem = try #require(before.result.diagnostics.first { $0.code == .textInCommand })
    let fix = try #require(before.fixes(in: problem.span).first { $0.diagnostic == problem }, "\(command)")
    #expect(fix.title == "Pass 'inputs.title' as the variable TITLE")
    let mended = WorkflowDocument.text(before.source.bytes, with: fix.edits)
    #expect(
      String(decoding: mended, as: UTF8.self) == head + "env: { TITLE: \"${{ inputs.title }}\" }\n    \(expected)\n")
    #expect(document(mended).result.diagnostics.isEmpty)
  }

  @Test func `an expression in a command has no fix if it is the whole command or the shell is python`() {
    let head = "name: a\ninputs: { title: { type: string } }\nsteps:\n  a:\n    "
    for command in ["run: ${{ inputs.title }}", "shell: python\n    run: print(\"${{ inputs.title }}\")"] {
      let document = document(Array((head + command + "\n").utf8))
      let problem = document.result.diagnostics.first { $0.code == .textInCommand }
      #expect(problem != nil && document.fixes(in: problem!.span).isEmpty, "\(command)")
    }
  }

  // MARK: The location of the cursor

  @Test(arguments: [
    ("steps:\n  a:\n    ¦", ["steps", "a"]),
    ("steps:\n  a:\n    with:\n      x: 1\n    ¦", ["steps", "a"]),
    ("steps: { a: { with: { ¦", ["steps", "a", "with"]),
    ("steps: { a: { uses: x }, b: { ¦", ["steps", "b"]),
    ("steps:\n  a:\n    with:\n      text: |\n        no: key\n      ¦", ["steps", "a", "with"]),
    ("steps:\n  a: # a: comment\n    ¦", ["steps", "a"]),
    ("steps:\n  \"a\":\n    ¦", ["steps", "a"]),
    ("a:\n- b:\n    ¦", ["a", "b"]),
    ("a: &anchor\n  ¦", ["a"]),
    ("a: 'it''s: x'\n¦", []),
    ("a: \"x: {\"\nb:\n  ¦", ["b"]),
    ("a: ${{ x }}\nb: [1,\n  2, ¦", ["b"]),
    ("a:\r\n  b:\r\n    ¦", ["a", "b"]),
  ])
  func `the keys around the cursor are determined from the text alone`(marked: String, keys: [String]) {
    let offset = marked.utf8.count - "¦".utf8.count
    #expect(EditingLocationScanner.location(at: offset, in: Array(marked.utf8)).keys == keys)
  }

  @Test func `editing requests never crash, for any text and location`() throws {
    let text = Array(WorkflowExamples.complete.utf8)
    for end in stride(from: 0, to: text.count, by: 7) {
      let document = document(Array(text[..<end]))
      _ = document.completions(at: end)
      _ = document.hover(at: max(0, end - 3))
      _ = document.fixes(in: TextSpan(at: end))
      _ = document.selections(at: end)
      _ = document.hints(in: TextSpan(0, end))
      _ = document.outline()
      _ = document.folds()
      _ = try? document.rename(at: max(0, end - 2), to: "other")
    }
  }
}
