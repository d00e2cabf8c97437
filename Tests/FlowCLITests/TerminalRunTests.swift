#if os(Linux)
  import Foundation
  import Glibc
  import TestSupport
  import Testing

  /// Tests the command in a pseudoterminal.
  @Suite(.timeLimit(.minutes(10))) struct `A run on a terminal` {
    /// Runs a workflow on a terminal. Each file in `files` is created as soon as the terminal has shown the text that
    /// is its key.
    private func drawing(
      _ yaml: String, rows: Int, columns: Int, environment: [String: String],
      files: KeyValuePairs<String, String> = [:]
    ) throws -> (output: String, code: Int32) {
      let tool = try CommandLineTool()
      defer { tool.remove() }
      try tool.write(yaml, to: "w.yaml")
      let terminal = try #require(PseudoTerminal(rows: rows, columns: columns))
      var variables = ["TERM": "xterm-256color", "CI": ""]
      variables.merge(environment) { $1 }
      let process = try FlowrunProcess(
        ["w.yaml"], in: tool.folder.path, environment: variables, standardOutput: terminal.path)
      for (text, file) in files {
        #expect(within(seconds: 30) { terminal.drawn().contains(text) }, "\(text): \(terminal.drawn())")
        try tool.write("", to: file)
      }
      // A program blocks after a while if nothing reads its terminal.
      _ = within(seconds: 60) {
        _ = terminal.drawn()
        return process.hasEnded
      }
      let code = process.result().exitCode
      return (terminal.drawn(), code)
    }

    private static let workflow = """
      name: shown
      steps:
        a: { uses: flow.sleep, with: { for: 250ms }, name: "東京の地図を読み込んで索引を作り直すとても長い名前の手順" }
        b: { uses: flow.fail, with: { message: "接続できませんでした" }, optional: true }
        c: { uses: shell.run, with: { command: "printf 'one\\\\ntwo\\\\033[2J\\\\n'; sleep 0.2" } }
      """

    @Test(arguments: [70, 80, 200])
    func `a run redraws without wrapping lines, and ends with the failure and a command for logs`(columns: Int) throws {
      let (output, code) = try drawing(Self.workflow, rows: 12, columns: columns, environment: [:])
      var terminal = VirtualTerminal(rows: 12, columns: columns)
      terminal.show(output)
      #expect(code == 0)
      #expect(terminal.faults.isEmpty && terminal.wraps == 0, "\(terminal.faults)")
      let text = terminal.text
      #expect(text.filter { $0.contains("東京") }.count == 1)
      #expect(text.filter { $0.contains("接続できませんでした") }.count == 1)
      #expect(text.contains { $0.hasPrefix("shown: partial") })
      #expect(!text.joined().contains("gate") && !text.joined().contains("waiting"))
      #expect(Array(text.suffix(2)) == ["failed: b (optional)", "logs: flowrun logs last --step b"], "\(text)")
    }

    @Test func `a run shows the prompt and the changing progress bar of a command`() throws {
      let (output, code) = try drawing(
        """
        name: bar
        steps:
          a:
            uses: shell.run
            with:
              command: |
                seen() { until [ -e "$1" ]; do sleep 0.01; done; }
                printf 'Name? ' >&2; seen name; printf '\\033[32m10%%\\r'; seen ten; printf '60%%\\r'; seen sixty; echo
        """, rows: 12, columns: 80, environment: [:],
        files: ["s  Name?": "name", "s  10%": "ten", "s  60%": "sixty"])
      #expect(code == 0)
      for shown in ["Name?", "10%", "60%"] { #expect(output.contains("s  \(shown)"), "\(output)") }
      var terminal = VirtualTerminal(rows: 12, columns: 80)
      terminal.show(output)
      #expect(terminal.faults.isEmpty && terminal.wraps == 0, "\(terminal.faults)")
    }

    @Test func `a command gets FORCE_COLOR unless its output is used or the step disables colors`() throws {
      let (output, code) = try drawing(
        """
        name: colors
        steps:
          a: { run: 'echo "a=$FORCE_COLOR"' }
          b: { needs: a, run: 'echo "b=$FORCE_COLOR"', color: false }
          c: { needs: b, run: 'echo "c=$FORCE_COLOR"', env: { FORCE_COLOR: "3" } }
          d: { needs: c, run: 'echo "d=$FORCE_COLOR"', env: { NO_COLOR: "1" } }
          e: { needs: d, run: 'echo "e=$FORCE_COLOR"' }
          f: { needs: e, run: 'echo "f=$FORCE_COLOR $E"', env: { E: "${{ steps.e.outputs.stdout }}" } }
          g: { needs: f, run: 'echo "g=$FORCE_COLOR"; printf "\\033[31mred\\033[0m\\n"', inputs-from: [w.yaml] }
          h: { needs: g, run: echo hidden, quiet: true }
        """, rows: 40, columns: 80, environment: ["NO_COLOR": "", "FORCE_COLOR": ""])
      var terminal = VirtualTerminal(rows: 40, columns: 80)
      terminal.show(output)
      #expect(code == 0)
      for line in ["a=1", "b=", "c=3", "d=", "e=", "f=1 e=", "g=", "red"] {
        #expect(terminal.text.contains(line), "\(line): \(terminal.text)")
      }
      #expect(terminal.text.contains("▶ a") && !terminal.text.contains("hidden"))
      #expect(output.contains("\u{1B}[31mred"))
    }

    @Test func `colors in a recorded log are shown only on a terminal`() throws {
      let tool = try CommandLineTool()
      defer { tool.remove() }
      try tool.write(
        """
        name: colors
        steps: { a: { run: 'printf "\\033[31mred\\033[0m\\033[2J\\033]0;title\\007 rest\\n"' } }
        """, to: "w.yaml")
      #expect(try tool.run("w.yaml").exitCode == 0)
      let terminal = try #require(PseudoTerminal(rows: 12, columns: 80))
      let process = try FlowrunProcess(
        ["logs", "last"], in: tool.folder.path,
        environment: ["TERM": "xterm-256color", "CI": "", "NO_COLOR": "", "FORCE_COLOR": ""],
        standardOutput: terminal.path)
      #expect(process.result().exitCode == 0)
      let shown = terminal.read()
      #expect(shown.contains("\u{1B}[31mred") && !shown.contains("[2J") && !shown.contains("title"), "\(shown)")
      #expect(try tool.run("logs", "last").standardOutput == "a: red rest\n")
      let exported = try tool.run("runs", "export", "last").standardOutput
      #expect(exported.contains(#""message": "red rest""#))
      #expect(!exported.contains(#"\u001b["#), "\(exported)")
    }

    @Test func `a run exits with 74 when its terminal is closed`() throws {
      let tool = try CommandLineTool()
      defer { tool.remove() }
      try tool.write("name: long\nsteps: { a: { uses: flow.sleep, with: { for: 50s } } }\n", to: "w.yaml")
      let terminal = try #require(PseudoTerminal(rows: 12, columns: 80))
      let process = try FlowrunProcess(
        ["w.yaml"], in: tool.folder.path, environment: ["TERM": "xterm", "CI": ""], standardOutput: terminal.path,
        standardError: terminal.path)
      // Wait until the view has begun to draw.
      var waits = 0
      while terminal.drawn().isEmpty, waits < 10_000 {
        usleep(2_000)
        waits += 1
      }
      terminal.hangUp()
      #expect(process.result(limitSeconds: 20).exitCode == 74)
    }

    @Test func `plain lines are printed if TERM is dumb or empty`() throws {
      for term in ["dumb", ""] {
        let (output, code) = try drawing(Self.workflow, rows: 12, columns: 80, environment: ["TERM": term])
        #expect(code == 0)
        #expect(!output.contains("\u{1B}"))
        #expect(output.contains("c: one") && output.contains("(a) succeeded in"))
      }
    }
  }
#endif
