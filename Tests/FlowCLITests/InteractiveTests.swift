#if os(Linux)
  import Foundation
  import Glibc
  import TestSupport
  import Testing

  /// Steps with `interactive: true`, run in a pseudoterminal.
  @Suite(.timeLimit(.minutes(3))) struct `An interactive step` {
    private let tool: CommandLineTool

    init() throws { tool = try CommandLineTool() }

    private func start(
      _ yaml: String, _ options: [String] = [], environment: [String: String] = [:]
    ) throws -> TerminalSession {
      try tool.write(yaml, to: "w.yaml")
      return try #require(
        try TerminalSession(["w.yaml"] + options, in: tool.folder.path, environment: environment))
    }

    private func exists(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: tool.folder.appendingPathComponent(name).path)
    }

    @Test(arguments: ["xterm", "dumb"])
    func `other steps run during an interactive step, and their output is shown later`(term: String) throws {
      defer { tool.remove() }
      let session = try start(
        """
        name: shown
        steps:
          other: { run: 'while ! [ -e asked ]; do sleep 0.02; done; echo from the other; touch other' }
          ask: { run: '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && printf "Name? "; touch asked; read name; echo "hello $name"', interactive: true }
        """, environment: ["TERM": term])
      #expect(session.shows("ask") && session.shows("Name? "))
      #expect(within(seconds: 30) { exists("other") })
      session.type("bob\n")
      #expect(session.exitCode() == 0)
      let shown = session.output
      let (hello, other) = (shown.firstRange(of: "hello bob"), shown.firstRange(of: "from the other"))
      #expect(try #require(hello).lowerBound < #require(other).lowerBound, "\(shown)")
      let logs = try tool.run("logs", "last", "--in", "w.yaml")
      #expect(logs.standardOutput.contains("from the other") && !logs.standardOutput.contains("hello bob"))
    }

    @Test func `an interactive step waits for the interactive steps above it in the file`() throws {
      defer { tool.remove() }
      try tool.write("name: inner\nsteps:\n  third: { run: echo the third, interactive: true }\n", to: "inner.yaml")
      let session = try start(
        """
        name: order
        steps:
          first: { run: 'read line; echo "the first, $line"', interactive: true }
          second: { run: echo the second, interactive: true, estimate: 10s }
          inner: { uses: ./inner.yaml }
        """)
      #expect(session.shows("first"))
      session.type("go\n")
      for text in ["the first, go", "the second", "the third"] { #expect(session.shows(text), "\(session.output)") }
      #expect(session.exitCode() == 0)
    }

    @Test(arguments: ["exit 0", "kill -9 $$", "read line", "read line; echo"])
    func `the terminal is restored however an interactive step ends`(end: String) throws {
      defer { tool.remove() }
      let trap = end.hasSuffix("echo") ? "trap 'exit 3' INT; " : ""
      let session = try start(
        "name: modes\nsteps:\n  a: { run: \"\(trap)stty -echo -icanon; echo ready; \(end)\", interactive: true }\n")
      #expect(session.shows("ready"))
      // Ctrl-C goes to the command rather than to flowrun.
      if end.hasPrefix("read line") { session.type("\u{3}") }
      #expect(session.exitCode() == (end == "exit 0" ? 0 : 1), "\(session.output)")
      #expect(session.isUsual)
      if !trap.isEmpty { #expect(session.output.contains("exit 3")) }
      if end == "read line" { #expect(session.output.contains("signal 2")) }
    }

    @Test func `SIGTERM to flowrun cancels an interactive step and restores the terminal`() throws {
      defer { tool.remove() }
      let session = try start(
        """
        name: cancelled
        steps:
          a: { run: 'stty -echo; echo ready; read line', interactive: true }
        finally:
          b: { run: echo the end }
        """)
      #expect(session.shows("ready"))
      session.program.send(SIGTERM)
      #expect(session.shows("stopping") && session.shows("the end"))
      #expect(session.exitCode() == 128 + SIGTERM)
      #expect(session.isUsual)
    }

    @Test func `Ctrl-Z suspends an interactive step and flowrun, and fg resumes both`() throws {
      defer { tool.remove() }
      try tool.write(
        "name: z\nsteps:\n  a: { run: 'stty -echo; echo ready; read x; echo \"got $x\"; read y; echo \"and $y\"', interactive: true }\n",
        to: "w.yaml")
      let session = try #require(
        try TerminalSession(
          [
            "sh", "-m", "-c",
            "'\(FlowrunProcess.path)' w.yaml; echo in the shell; read word; echo \"word $word\"; fg; echo over",
          ],
          in: tool.folder.path, isShell: true))
      #expect(session.shows("ready"))
      session.type("one\n")
      #expect(session.shows("got one"))
      session.type("\u{1A}")
      #expect(session.shows("in the shell") && session.isUsual, "\(session.output)")
      session.type("free\n")
      #expect(session.shows("word free"))
      session.type("two\n")
      #expect(session.shows("and two"), "\(session.output)")
      #expect(session.shows("z: success") && session.shows("over"))
      #expect(session.exitCode() == 0)
    }

    @Test(arguments: [["--json"], [], ["--watch"]])
    func `an interactive step fails if it cannot use a terminal`(options: [String]) throws {
      defer { tool.remove() }
      let session = try start(
        "name: refused\nsteps: { a: { run: echo never, interactive: true } }\n", options,
        environment: options.isEmpty ? ["CI": "true"] : [:])
      #expect(session.shows("no-terminal"), "\(session.output)")
      if options == ["--watch"] { session.program.send(SIGTERM) }
      #expect(session.exitCode() == (options == ["--watch"] ? 128 + SIGTERM : 1))
      #expect(!session.output.contains("never\n"))
      let piped = try tool.run("w.yaml")
      #expect(piped.exitCode == 1 && piped.standardOutput.contains("[no-terminal]"))
    }

    @Test func `an interactive step returns the outputs that it writes to its output file, for each item`() throws {
      defer { tool.remove() }
      let session = try start(
        """
        name: values
        steps:
          a:
            run: read name; echo "name=$name" >> "$FLOWRUN_OUTPUT"
            interactive: true
            foreach: [1, 2]
            parallel: 1
            outputs: { name: { type: string } }
        outputs: { names: "${{ join(steps.a.outputs.name) }}" }
        """)
      #expect(session.shows("a[0]"))
      session.type("bob\n")
      #expect(session.shows("a[1]"))
      session.type("amy\n")
      #expect(session.shows("bob,amy"), "\(session.output)")
      #expect(session.exitCode() == 0)
    }
  }
#endif
