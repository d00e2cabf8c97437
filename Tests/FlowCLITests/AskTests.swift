#if os(Linux)
  import FlowUI
  import Foundation
  import Glibc
  import TestSupport
  import Testing

  @testable import FlowCLI

  /// Questions for text or for a secret.
  @Suite(.timeLimit(.minutes(3))) struct `A question` {
    private let tool: CommandLineTool

    init() throws { tool = try CommandLineTool() }

    private static let secret = """
      name: login
      durable: true
      steps:
        plan: { run: 'for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "change $n"; done' }
        ask:
          needs: plan
          uses: flow.ask
          with: { question: "Password?", secret: true }
        use:
          needs: ask
          run: 'echo "it is $P"; [ -e repaired ]'
          env: { P: "${{ steps.ask.outputs.secret }}" }

      """

    /// True if any file in the folder contains `text`.
    private func isStored(_ text: String) -> Bool {
      let files = FileManager.default.enumerator(at: tool.folder, includingPropertiesForKeys: nil)
      return files?.contains { file in
        (file as? URL).flatMap { try? Data(contentsOf: $0) }?.range(of: Data(text.utf8)) != nil
      } ?? false
    }

    @Test func `a question for text is answered at the terminal, below the output of earlier steps`() throws {
      defer { tool.remove() }
      try tool.write(
        """
        name: text
        steps:
          plan: { run: 'for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "change $n"; done' }
          ask: { needs: plan, uses: flow.ask, with: { question: "Which version?", text: true, default: "1.0" } }
        outputs: { version: "${{ steps.ask.outputs.text }}" }
        """, to: "w.yaml")
      for (typed, version) in [("2.0 beta\n", "2.0 beta"), ("\n", "1.0")] {
        let session = try #require(try TerminalSession(["w.yaml"], in: tool.folder.path))
        #expect(session.shows("plan │ change 3\n") && session.shows("plan │ change 12\n"))
        #expect(session.shows("ask: Which version? (Enter: 1.0)\n> "), "\(session.output)")
        #expect(!session.output.contains("plan │ change 2\n"))
        session.type(typed)
        #expect(session.shows("version: \(version)"), "\(session.output)")
        #expect(session.exitCode() == 0)
      }
    }

    @Test func `a question shows the last output of preceding items and included files`() throws {
      defer { tool.remove() }
      try tool.write(
        """
        name: part
        steps:
          one: { run: echo first }
          two: { needs: one, run: 'seq 12' }
          mute: { needs: two, quiet: true, run: echo hidden }
        """, to: "part.yaml")
      try tool.write(
        """
        name: text
        steps:
          each: { foreach: [a, b], run: 'echo "item $I"', env: { I: "${{ item }}" } }
          part: { uses: ./part.yaml }
          ask: { needs: [each, part], uses: flow.ask, with: { question: "Go on?" } }
        """, to: "w.yaml")
      let process = try FlowrunProcess(["w.yaml", "--json"], in: tool.folder.path)
      defer { process.send(SIGKILL) }
      #expect(process.waitForOutput("Go on?"))
      let library = try RunLibrary(folder: tool.folder.path, store: nil, pluginFolders: [], isReadOnly: false)
      var printed: [String] = []
      let isShown = try within(seconds: 60) {
        guard let run = library.list().runs.first, let store = try library.find(run.id)?.store else { return false }
        let questions = try library.view(of: run, in: store, stepPage: nil).questions
        printed = questions.flatMap { $0.printed.map { "\($0.step): \($0.line)" } }
        return !questions.isEmpty
      }
      let numbers = (3...12).map { "part/two: \($0)" }
      #expect(isShown && printed == ["each[0]: item a", "each[1]: item b"] + numbers, "\(printed)")
      #expect(try isRecorded())
      #expect(try tool.run("answer", "last", "ask", "yes").exitCode == 0)
      let output = process.result().output
      #expect(
        output.contains(
          "\"printed\":{\"each[0]\":[\"item a\"],\"each[1]\":[\"item b\"],\"part/two\":[\"3\",\"4\""), "\(output)")
    }

    @Test func `a secret answer is neither shown nor recorded, and a resumed run asks for it again`()
      throws
    {
      defer { tool.remove() }
      try tool.write(Self.secret, to: "w.yaml")
      let session = try #require(try TerminalSession(["w.yaml", "--report", "report.json"], in: tool.folder.path))
      #expect(session.shows("ask: Password?\n> "))
      #expect(within(seconds: 30) { !session.isUsual })
      session.type("abc\n")
      #expect(session.shows("at least 4 characters"), "\(session.output)")
      session.type("s3same-0pen\n")
      #expect(session.shows("it is ***"), "\(session.output)")
      #expect(session.exitCode() == 1)
      #expect(!session.output.contains("s3same") && session.isUsual)
      #expect(!isStored("s3same-0pen"))
      try tool.write("", to: "repaired")
      let resumed = try #require(try TerminalSession(["resume", "last"], in: tool.folder.path))
      #expect(resumed.shows("ask: Password?\n> "), "\(resumed.output)")
      #expect(within(seconds: 30) { !resumed.isUsual })
      resumed.type("0pen-again\n")
      #expect(resumed.shows("it is ***"), "\(resumed.output)")
      #expect(resumed.exitCode() == 0)
      #expect(!isStored("0pen-again"))
    }

    @Test func `a question for a secret can be answered on standard input, but not by an argument`() throws {
      defer { tool.remove() }
      try tool.write(Self.secret, to: "w.yaml")
      try tool.write("", to: "repaired")
      let process = try FlowrunProcess(["w.yaml", "--json"], in: tool.folder.path)
      defer { process.send(SIGKILL) }
      #expect(process.waitForOutput("\"kind\":\"secret\""))
      #expect(try isRecorded())
      let argument = try tool.run("answer", "last", "ask", "s3same-0pen")
      #expect(argument.exitCode == 64 && argument.standardError.contains("leave it out of the command"), "\(argument)")
      let short = try tool.run("answer", "last", "ask", input: "abc\n")
      #expect(short.exitCode == 64 && short.standardError.contains("at least 4 characters"), "\(short)")
      let lines = try tool.run("answer", "last", "ask", input: "abcd\nefgh\n")
      #expect(lines.exitCode == 64 && lines.standardError.contains("one line"), "\(lines)")
      let answered = try tool.run("answer", "last", "ask", input: "s3same-0pen\n")
      #expect(answered.exitCode == 0 && answered.standardOutput.hasSuffix("has its answer\n"), "\(answered)")
      let result = process.result()
      #expect(result.exitCode == 0 && result.output.contains("it is ***") && !result.output.contains("s3same"))
      #expect(result.output.contains("\"printed\":{\"plan\":[\"change 3\""), "\(result.output)")
      #expect(!isStored("s3same-0pen"))
    }

    /// Waits up to a minute until other processes can find the run, which may be after its events are printed. Returns
    /// false if they cannot.
    private func isRecorded() throws -> Bool {
      try within(seconds: 60) { try tool.run("runs", "show", "last").exitCode == 0 }
    }

    @Test func `a question for text can be answered on standard input or by an argument`() throws {
      defer { tool.remove() }
      try tool.write(
        """
        name: text
        steps:
          ask: { uses: flow.ask, with: { question: "Notes?", text: true } }
          other: { uses: flow.ask, with: { question: "More?", text: true } }
        outputs: { notes: "${{ steps.ask.outputs.text }}; ${{ steps.other.outputs.text }}" }
        """, to: "w.yaml")
      let process = try FlowrunProcess(["w.yaml", "--json"], in: tool.folder.path)
      defer { process.send(SIGKILL) }
      #expect(process.waitForOutput("Notes?") && process.waitForOutput("More?"))
      #expect(try isRecorded())
      let long = try tool.run("answer", "last", "ask", input: String(repeating: "x", count: 64 << 10 + 1))
      #expect(long.exitCode == 64 && long.standardError.contains("the limit is 65536"), "\(long.standardError)")
      let argument = try tool.run("answer", "last", "ask", "as before")
      #expect(argument.exitCode == 0 && argument.standardOutput.hasSuffix("has its answer: as before\n"), "\(argument)")
      let input = try tool.run("answer", "last", "other", input: "nothing\r\n")
      #expect(input.exitCode == 0, "\(input)")
      #expect(process.result().exitCode == 0)
      let outputs = try tool.run("runs", "show", "last").standardOutput
      #expect(outputs.contains("as before; nothing"), "\(outputs)")
    }

    @Test func `validate reports an exposed secret answer, and a default or choices of its question`() throws {
      defer { tool.remove() }
      try tool.write(
        """
        name: exposed
        steps:
          ask: { uses: flow.ask, with: { question: "Password?", secret: true, default: abcd, choices: [a, b] } }
          log: { needs: ask, uses: flow.log, with: { message: "${{ steps.ask.outputs.secret }}" } }
          all: { needs: ask, uses: flow.set, with: { values: { all: "${{ toJSON(steps.ask.outputs) }}" } } }
        """, to: "w.yaml")
      let checked = try tool.run("validate", "w.yaml")
      #expect(checked.exitCode == 2)
      for text in [
        "'steps.ask.outputs.secret' is a secret and would be exposed",
        "'steps.ask.outputs' has a secret among its members",
        "a secret cannot have a default", "a question for a secret has no choices",
      ] { #expect((checked.standardOutput + checked.standardError).contains(text), "\(text): \(checked)") }
    }
  }
#endif
