import FlowModel
import Foundation
import TestSupport
import Testing

/// The output of commands in the terminal, in JSON and in the run history.
@Suite(.timeLimit(.minutes(10))) struct CommandOutputTests {
  private let tool: CommandLineTool

  init() throws {
    tool = try CommandLineTool()
    try tool.write(
      """
      name: output
      steps:
        told: { uses: shell.run, with: { command: "echo one; echo two >&2" } }
        silent: { uses: shell.run, quiet: true, with: { command: echo silent } }
        failed:
          uses: shell.run
          optional: true
          with: { command: "echo the real error; sleep 0.05; echo noise >&2; exit 3" }
      """, to: "output.yaml")
  }

  @Test func `each output line of a command is logged with its step and its stream`() throws {
    defer { tool.remove() }
    let lines = try tool.run("output.yaml", "--json").standardOutput.split(separator: "\n")
    let logs = try lines.compactMap { try JSONText.parse(String($0)).objectValue }.filter { $0["event"] == "step.log" }
    let told = Set(logs.map { [$0["step"], $0["stream"], $0["message"]] })
    #expect(
      told == [
        ["told", "stdout", "one"], ["told", "stderr", "two"], ["failed", "stdout", "the real error"],
        ["failed", "stderr", "noise"],
      ])
  }

  @Test func `a quiet run hides the output of successful steps, and shows all output of a failed one`() throws {
    defer { tool.remove() }
    let loud = try tool.run("output.yaml").standardOutput
    #expect(loud.contains("told: one") && loud.contains("told: two") && !loud.contains("silent: silent"))
    let quiet = try tool.run("output.yaml", "--quiet").standardOutput
    #expect(!quiet.contains("told: one"))
    #expect(quiet.contains("the real error") && quiet.contains("noise"))
  }

  @Test(arguments: [[], ["--quiet"], ["--quiet", "--on", "workers=1"]])
  func `the run history contains the output of quiet steps and quiet runs`(options: [String]) throws {
    defer { tool.remove() }
    let shown = try tool.run(["output.yaml"] + options).standardOutput
    #expect(!shown.contains("silent: silent"))
    let log = try tool.run("logs", "last").standardOutput
    for line in ["told: one", "told: two", "silent: silent", "failed: noise"] {
      #expect(log.contains(line + "\n"), "\(options): \(log)")
    }
  }

  @Test func `the first and last of 200,000 printed lines are shown, and a later step can read the last one`() throws {
    defer { tool.remove() }
    try tool.write(
      """
      name: much
      steps:
        much: { uses: shell.run, with: { command: "seq 200000" } }
        after: { uses: shell.run, needs: much, if: "${{ last(steps.much.outputs.stdout, 1) == '200000' }}", with: { command: echo } }
      """, to: "much.yaml")
    let output = try tool.run("much.yaml")
    #expect(output.exitCode == 0)
    #expect(output.standardOutput.contains("much: 1\n") && output.standardOutput.contains("much: 200000\n"))
    #expect(output.standardOutput.contains("after succeeded"))
  }

  #if os(Linux)
    @Test
    func `a process in a separate session can be used by later steps and is stopped when the run ends`() throws {
      defer { tool.remove() }
      let mark = "81000001.\(getpid())"
      try tool.write(
        """
        name: daemon
        steps:
          start:
            uses: shell.run
            with:
              command: |
                rm -f apart
                setsid sh -c 'touch apart; exec sleep \(mark)' > /dev/null 2>&1 &
                echo $! > pid
                until [ -e apart ]; do sleep 0.01; done
          use: { uses: shell.run, needs: start, with: { command: "sleep 0.1; kill -0 $(cat pid)" } }
        """, to: "daemon.yaml")
      let output = try tool.run("daemon.yaml", "--report", "report.json")
      #expect(output.exitCode == 0, "\(output)")
      let warning = "ended what commands had left running: 'sleep \(mark)' ("
      #expect(output.standardOutput.contains("warning: \(warning)"), "\(output.standardOutput)")
      let report = try String(contentsOf: tool.folder.appending(path: "report.json"), encoding: .utf8)
      #expect(report.contains(warning))
      #expect(within(seconds: 60) { !Self.runs("sleep \(mark)") })
      let json = try tool.run("daemon.yaml", "--json")
      #expect(json.exitCode == 0 && json.standardError.hasPrefix("flowrun: \(warning)"))
    }

    @Test func `a process in a separate session can still print to the log of its step`() throws {
      defer { tool.remove() }
      try tool.write(
        """
        name: server
        steps:
          server:
            run: |
              setsid sh -c 'echo tick 1; touch first; until [ -e go ]; do sleep 0.01; done; echo tick 2; exec sleep 600' &
              until [ -e first ]; do sleep 0.01; done
              echo begun
          use: { needs: server, run: "touch go; until [ -e seen ]; do sleep 0.02; done" }
        outputs: { printed: "${{ steps.server.outputs.stdout }}" }
        """, to: "server.yaml")
      let process = try FlowrunProcess(["server.yaml"], in: tool.folder.path)
      #expect(process.waitForOutput("server: tick 2\n"), "\(process.outputSoFar)")
      try tool.write("", to: "seen")
      let output = process.result()
      #expect(output.exitCode == 0, "\(output)")
      let log = try tool.run("logs", "last", "--step", "server").standardOutput
      #expect(log.contains("server: tick 1\n") && log.contains("server: tick 2\n"), "\(log)")
      let printed = output.output.components(separatedBy: "printed:").last ?? ""
      #expect(printed.contains("tick 1") && !printed.contains("tick 2"), "\(printed)")
    }

    /// True if a process with this command line exists.
    private static func runs(_ words: String) -> Bool {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.filter { Int($0) != nil }.contains { process in
        let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
        return String(decoding: line, as: UTF8.self).split(separator: "\0").joined(separator: " ") == words
      }
    }
  #endif

  @Test func `commands wait for each other when file descriptors are scarce`() throws {
    defer { tool.remove() }
    var text = "name: scarce\nsteps:\n"
    for step in 0..<60 { text += "  s\(step): { uses: shell.run, with: { command: sleep 0.2 } }\n" }
    try tool.write(text, to: "scarce.yaml")
    let (status, output) = try Shell.run(
      "ulimit -n 64; exec '\(FlowrunProcess.path)' scarce.yaml", in: tool.folder.path)
    #expect(status == 0, "\(output.suffix(500))")
    #expect(output.contains("60 succeeded"))
    let warning = "others wait for them: Too many open files; raise the limit of open files (ulimit -n)"
    #expect(output.components(separatedBy: warning).count == 2, "\(output.suffix(2000))")
  }
}
