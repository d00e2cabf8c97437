import Foundation
import TestSupport
import Testing

/// Steps that are named on the command line.
@Suite(.timeLimit(.minutes(10))) struct StepSelectionTests {
  private let tool: CommandLineTool

  private static let file = """
    name: app
    description: Builds and tests the app
    inputs: { args: { type: array, items: { type: string } } }
    steps:
      fetch: { run: echo fetching, description: Gets the sources }
      build: { needs: fetch, run: 'echo "version=3" >> "$FLOWRUN_OUTPUT"; echo building', outputs: { version: { type: string } } }
      test:
        description: |
          Runs the tests
          of all modules
        needs: build
        run: 'printf "<%s>" "$@"; echo'
      deploy: { needs: build, run: 'echo "deploying $V"', env: { V: "${{ steps.build.outputs.version }}" } }
      list: { run: [printf, "[%s]\\n", "${{ inputs.args }}"] }
      python: { run: "import sys; print(sys.argv[1:])", shell: python }
      lint: { run: echo linting }
    finally:
      tidy: { run: echo tidying }
    outputs: { version: "${{ steps.build.outputs.version }}" }
    """

  init() throws {
    tool = try CommandLineTool()
    try tool.write(Self.file, to: "flowrun.yaml")
  }

  @Test func `an assignment as in make is rejected with a suggestion to use -i`() throws {
    defer { tool.remove() }
    let result = try tool.run("test", "stage=prod")
    #expect(result.exitCode == 64)
    #expect(
      result.standardError == "flowrun: 'stage=prod' is not a step of flowrun.yaml; did you mean '-i stage=prod'?\n")
  }

  @Test func `selected steps run without warnings about steps that do not run`() throws {
    defer { tool.remove() }
    try tool.write(
      """
      name: doubtful
      steps:
        make: { run: echo > made.c, produces: [made.c] }
        objects: { run: cat made.c > made.o, inputs-from: [made.c], produces: [made.o] }
        link: { needs: objects, run: cat made.o }
        test: { run: echo testing }
      """, to: "flowrun.yaml")
    let warning = "step 'objects' reads 'made.c'"
    #expect(!(try tool.run("test").standardError.contains(warning)))
    for arguments in [["link"], ["validate", "flowrun.yaml"], ["flowrun.yaml"]] {
      let result = try tool.run(arguments)
      #expect((result.standardError + result.standardOutput).contains(warning), "\(arguments) \(result)")
    }
  }

  @Test func `selected steps run with all their dependencies, and other steps do not run`() throws {
    defer { tool.remove() }
    let result = try tool.run("flowrun.yaml", "test", "test", "--report", "r.json")
    #expect(result.exitCode == 0, "\(result)")
    for line in ["fetch: fetching\n", "build: building\n", "tidy: tidying\n", "(4 succeeded)"] {
      #expect(result.standardOutput.contains(line), "\(line) \(result.standardOutput)")
    }
    #expect(!result.standardOutput.contains("lint") && !result.standardOutput.contains("deploy"))
    let report = try tool.text(of: "r.json")
    #expect(report.contains("\"selected\": [\n    \"test\"\n  ]"), "\(report)")
    #expect(report.contains("not-selected"))
  }

  @Test func `steps are found in the flowrun.yaml of a parent folder, up to the folder with .git`() throws {
    defer { tool.remove() }
    try tool.write("", to: "a/b/empty")
    let below = tool.folder.appendingPathComponent("a/b").path
    let outside = try FlowrunProcess.run(["lint"], in: below)
    #expect(outside.exitCode == 64 && outside.errors.contains("neither a subcommand nor a file"), "\(outside)")
    try tool.write("", to: ".git/HEAD")
    let result = try FlowrunProcess.run(["lint"], in: below)
    #expect(result.exitCode == 0 && result.output.contains("lint: linting\n"), "\(result)")
    #expect(try FlowrunProcess.run([], in: below).output.hasPrefix("Steps of ../../flowrun.yaml: Builds and tests"))
  }

  @Test func `flowrun.yaml is not searched for in folders that all users can write to`() throws {
    defer { tool.remove() }
    chmod(tool.folder.path, 0o777)
    let result = try tool.run("lint")
    #expect(result.exitCode == 64 && result.standardError.contains("can be written by all users"), "\(result)")
    #expect(result.standardError.contains(tool.folder.lastPathComponent))
    #expect(try tool.run("./flowrun.yaml", "lint").exitCode == 0)
  }

  @Test func `flowrun without arguments lists the steps with their descriptions and runs nothing`() throws {
    defer { tool.remove() }
    let list = try tool.run()
    #expect(list.exitCode == 0)
    #expect(
      list.standardOutput.hasPrefix(
        """
        Steps of flowrun.yaml: Builds and tests the app
          fetch   Gets the sources
          build
          test    Runs the tests
          deploy
        """), "\(list)")
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appendingPathComponent(".flowrun").path))
    let flag = try tool.run("--json")
    #expect(flag.exitCode == 64 && flag.standardError.contains("name a step of flowrun.yaml"), "\(flag)")
  }

  @Test(arguments: [
    (["tset"], "'tset' is not a step of flowrun.yaml; did you mean 'test'?"),
    (["flowrun.yaml", "tset"], "'tset' is not a step of flowrun.yaml; did you mean 'test'?"),
    (["vlaidate"], "'vlaidate' is not a step of flowrun.yaml; did you mean 'validate'?"),
    (["test[3]"], "'test[3]' is an item; name the whole step, 'test'"),
    (["flowrun.yaml", "--no-needs"], "--no-needs belongs to named steps"),
    (["test", "-i", "args=[\"a\"]", "--", "b"], "-i args= and words after '--' are the same input"),
  ])
  func `an invalid selection of steps is rejected with a suggestion`(arguments: [String], message: String) throws {
    defer { tool.remove() }
    let result = try tool.run(arguments)
    #expect(result.exitCode == 64 && result.standardError.contains(message), "\(result)")
  }

  @Test func `--no-needs runs a step alone unless it reads outputs of a step that does not run`() throws {
    defer { tool.remove() }
    let alone = try tool.run("test", "--no-needs")
    #expect(alone.exitCode == 0 && alone.standardOutput.contains("test: <>\n"), "\(alone)")
    #expect(!alone.standardOutput.contains("building") && alone.standardOutput.contains("(2 succeeded)"))
    let reading = try tool.run("deploy", "--no-needs")
    #expect(reading.exitCode == 2, "\(reading)")
    #expect(reading.standardError.contains("step 'deploy': it reads 'steps.build', which does not run"))
    #expect(try tool.run("deploy", "build", "--no-needs").standardOutput.contains("deploy: deploying 3\n"))
  }

  @Test func `the words after two dashes are passed to the selected steps`() throws {
    defer { tool.remove() }
    #expect(try tool.run("test", "--", "a b", "--filter", "x").standardOutput.contains("test: <a b><--filter><x>\n"))
    let list = try tool.run("list", "--", "a b", "c").standardOutput
    #expect(list.contains("list: [a b]\n") && list.contains("list: [c]\n"), "\(list)")
    #expect(try tool.run("python", "--", "a", "-b").standardOutput.contains("python: ['a', '-b']\n"))
    try tool.write("name: plain\nsteps: { a: { run: echo a } }\n", to: "plain.yaml")
    let refused = try tool.run("plain.yaml", "a", "--", "x")
    #expect(refused.exitCode == 64 && refused.standardError.contains("does not declare as a list of strings"))
  }

  @Test func `a step with the name of a subcommand runs after two dashes, and validate warns about it`() throws {
    defer { tool.remove() }
    try tool.write("name: x\nsteps: { runs: { run: echo ran }, b: { run: echo b } }\n", to: "flowrun.yaml")
    for words in [["--", "runs"], ["run", "flowrun.yaml", "runs"], ["--quiet", "--", "runs"]] {
      let result = try tool.run(words)
      #expect(result.exitCode == 0 && result.standardOutput.contains("runs succeeded"), "\(words) \(result)")
    }
    let check = try tool.run("validate", "flowrun.yaml")
    #expect(check.exitCode == 0 && check.standardOutput.contains("[subcommand-name]"), "\(check)")
    #expect(check.standardOutput.contains("flowrun -- runs"))
  }

  @Test func `the selection of steps is kept in a resumed run`() throws {
    defer { tool.remove() }
    try tool.write(
      "name: r\nsteps: { a: { run: echo a }, b: { needs: a, run: test -e ok }, c: { run: echo c } }\n", to: "r.yaml")
    #expect(try tool.run("r.yaml", "b").exitCode == 1)
    try tool.write("", to: "ok")
    let resumed = try tool.run("resume", "last")
    #expect(resumed.exitCode == 0 && resumed.standardOutput.contains("not selected: c\n"), "\(resumed)")
    #expect(resumed.standardOutput.contains("kept: a\n") && !resumed.standardOutput.contains("c: c"))
    #expect(resumed.standardOutput.contains("r: success"))
    let analysis = try tool.run("analyze", "last")
    #expect(analysis.exitCode == 64 && analysis.standardError.contains("was one of b alone"), "\(analysis)")
  }

  @Test func `a step of an included file runs with the file's inputs and finally`() throws {
    defer { tool.remove() }
    try tool.write(
      "name: part\ninputs: { who: { type: string } }\nsteps:\n"
        + "  a: { run: 'echo \"hello $W\"', env: { W: \"${{ inputs.who }}\" } }\n"
        + "  b: { run: echo b }\nfinally: { end: { run: echo ended } }\n", to: "part.yaml")
    try tool.write(
      "name: whole\nsteps:\n  core: { uses: ./part.yaml, with: { who: you } }\n  other: { run: echo other }\n",
      to: "w.yaml")
    let one = try tool.run("w.yaml", "core/a", "--no-needs")
    #expect(one.exitCode == 0 && one.standardOutput.contains("core/a: hello you\n"), "\(one)")
    #expect(one.standardOutput.contains("core/end: ended\n") && !one.standardOutput.contains("core/b: b"))
    let whole = try tool.run("w.yaml", "core")
    #expect(whole.standardOutput.contains("core/b: b\n") && !whole.standardOutput.contains("other"), "\(whole)")
  }

  @Test func `a run of selected steps leaves launch.first true, and its gate ignores other steps`() throws {
    defer { tool.remove() }
    try tool.write(
      "name: g\ndeadline: 20s\nsteps:\n  slow: { uses: flow.sleep, with: { for: 1h } }\n"
        + "  quick: { run: 'echo \"first $F\"', env: { F: \"${{ launch.first }}\" } }\n"
        + "  later: { defer: true, run: echo later }\n", to: "g.yaml")
    for _ in 0..<2 {
      let result = try tool.run("g.yaml", "quick", "later")
      #expect(result.exitCode == 0 && result.standardOutput.contains("quick: first true\n"), "\(result)")
      #expect(result.standardOutput.contains("gate opened, ready") && result.standardOutput.contains("later: later\n"))
    }
  }

  @Test func `--explain names the steps that are not selected`() throws {
    defer { tool.remove() }
    let result = try tool.run("build", "--explain")
    #expect(result.exitCode == 0 && result.standardOutput.contains("lint: skipped: not selected\n"), "\(result)")
    #expect(result.standardOutput.contains("fetch: runs: "))
  }
}
