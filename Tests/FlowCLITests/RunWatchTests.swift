import Foundation
import TestSupport
import Testing

/// `flowrun FILE --watch`: changed files, and signals.
@Suite(.timeLimit(.minutes(10)), .serialized) struct `A watched run` {
  private let tool: CommandLineTool

  init() throws { tool = try CommandLineTool() }

  private static let watching = "watching for changes; press Ctrl-C to stop\n"

  private func start(_ arguments: String...) throws -> FlowrunProcess {
    try FlowrunProcess(arguments + ["--watch"], in: tool.folder.path)
  }

  /// Waits up to a minute until the process has reported at least `times` times that it is watching for changes.
  /// Returns false if it has not.
  private func waits(_ process: FlowrunProcess, times: Int) -> Bool {
    within(seconds: 60) { process.outputSoFar.components(separatedBy: Self.watching).count > times }
  }

  private func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: tool.folder.appendingPathComponent(name).path)
  }

  @Test func `a watched run repeats after a file is saved, and skips steps that are up to date`() throws {
    defer { tool.remove() }
    try tool.write(
      """
      name: build
      steps:
        left: { run: echo left is made, inputs-from: ["left/**/*.txt"] }
        right: { run: echo right is made, inputs-from: [right.txt] }
      """, to: "w.yaml")
    try tool.write("1", to: "left/a.txt")
    try tool.write("1", to: "right.txt")
    let process = try start("w.yaml")
    #expect(waits(process, times: 1))
    try tool.write("22", to: "right.txt")
    #expect(waits(process, times: 2))
    let second = process.outputSoFar.components(separatedBy: Self.watching)[1]
    #expect(second.contains("'right.txt' has changed\n") && second.contains("right is made"), "\(second)")
    #expect(second.contains("left skipped: up-to-date"), "\(second)")
    // The pattern also matches files that are created later.
    try tool.write("1", to: "left/deep/b.txt")
    #expect(waits(process, times: 3))
    #expect(process.outputSoFar.components(separatedBy: Self.watching)[2].contains("left is made"))
    process.send(SIGINT)
    #expect(process.result(limitSeconds: 20).exitCode == 130)
    let runs = try tool.run("runs", "--json").standardOutput
    #expect(runs.components(separatedBy: #""state": "success""#).count == 4, "\(runs)")
  }

  @Test func `a watch includes files whose paths are inputs of an included file`() throws {
    defer { tool.remove() }
    let clean = """
      name: clean
      inputs: { from: { type: string, default: raw }, to: { type: string, default: out } }
      steps:
        each:
          foreach: { files: "${{ inputs.from }}/*.txt" }
          inputs-from: ["${{ item.path }}"]
          produces: ["${{ inputs.to }}/${{ item.name }}"]
          run: 'mkdir -p "$TO"; cp "$FILE" "$TO"; echo made "$FILE"'
          env: { FILE: "${{ item.path }}", TO: "${{ inputs.to }}" }

      """
    try tool.write(clean, to: "part/clean.yaml")
    try tool.write(
      """
      name: w
      inputs: { first: { type: string, default: one } }
      steps:
        usual: { uses: ./part/clean.yaml }
        given: { uses: ./part/clean.yaml, with: { from: "${{ inputs.first }}", to: out-one } }
        each:
          foreach: [two, three]
          uses: ./part/clean.yaml
          with: { from: "${{ item }}", to: "out-${{ item }}" }
      """, to: "w.yaml")
    for folder in ["raw", "one", "two", "three"] {
      for name in ["a", "b"] { try tool.write(name, to: "part/\(folder)/\(name).txt") }
    }
    let process = try start("w.yaml")
    #expect(waits(process, times: 1))
    for (count, folder) in ["raw", "one", "two", "three"].enumerated() {
      // One existing file is changed, and another one is created.
      try tool.write("new", to: "part/\(folder)/\(count % 2 == 0 ? "b" : "c").txt")
      #expect(waits(process, times: count + 2), "\(folder): \(process.outputSoFar)")
      let said = process.outputSoFar.components(separatedBy: Self.watching)[count + 1]
      #expect(said.contains("made \(folder)/\(count % 2 == 0 ? "b" : "c").txt") && !said.contains("/a.txt"), "\(said)")
    }
    process.send(SIGINT)
    #expect(process.result(limitSeconds: 20).exitCode == 130)
  }

  @Test func `a watch includes the input files of steps whose items come from axes, inputs or outputs`() throws {
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      inputs:
        chip: { type: string, default: arm }
        parts: { type: object, default: { disk: 1 } }
      steps:
        axes:
          foreach:
            axes: { system: [linux, mac], chip: ["${{ inputs.chip }}", x86] }
            exclude: [{ system: mac, chip: x86 }]
          inputs-from: ["${{ item.system }}-${{ item.chip }}.txt"]
          run: echo built
        members:
          foreach: ${{ inputs.parts }}
          inputs-from: ["${{ key }}.txt"]
          run: echo built
        unknown:
          needs: axes
          foreach: ${{ lines(steps.axes.outputs.stdout[0]) }}
          inputs-from: [shared.txt]
          run: echo built
      """, to: "w.yaml")
    let names = ["mac-arm.txt", "disk.txt", "shared.txt"]
    for name in names + ["linux-arm.txt", "linux-x86.txt"] { try tool.write("1", to: name) }
    let process = try start("w.yaml")
    #expect(waits(process, times: 1))
    for (count, name) in names.enumerated() {
      try tool.write("22", to: name)
      #expect(waits(process, times: count + 2), "\(name): \(process.outputSoFar)")
      #expect(process.outputSoFar.contains("'\(name)' has changed\n"))
    }
    process.send(SIGINT)
    #expect(process.result(limitSeconds: 20).exitCode == 130)
  }

  @Test func `an error in a watched file is reported, and the workflow runs after it is fixed`() throws {
    defer { tool.remove() }
    try tool.write("name: w\nsteps: { a: { uses: flow.nop } }\n", to: "w.yaml")
    let process = try start("w.yaml")
    #expect(process.waitForErrors("did you mean 'flow.noop'?"))
    #expect(waits(process, times: 1))
    try tool.write("name: w\nsteps: { a: { run: echo fixed } }\n", to: "w.yaml")
    #expect(process.waitForOutput("a: fixed"))
    #expect(waits(process, times: 2))
    process.send(SIGTERM)
    #expect(process.result(limitSeconds: 20).exitCode == 143)
  }

  @Test(arguments: [
    ("part.yaml", "name: part\nsteps: { a: { run: echo told again } }\n"), ("variables.env", "WORD=told again\n"),
    ("word.txt", "told again"),
  ])
  func `a watched run repeats after a change to an included file or an input`(_ file: String, _ text: String) throws {
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      env-file: variables.env
      inputs: { word: { type: string } }
      steps:
        part: { uses: ./part.yaml }
        variable: { run: echo "$WORD" }
        input: { run: echo "$INPUT", env: { INPUT: "${{ inputs.word }}" } }
      """, to: "w.yaml")
    try tool.write("name: part\nsteps: { a: { run: echo first } }\n", to: "part.yaml")
    try tool.write("WORD=first\n", to: "variables.env")
    try tool.write("first", to: "word.txt")
    let process = try start("w.yaml", "-i", "word=@word.txt")
    #expect(waits(process, times: 1))
    try tool.write(text, to: file)
    #expect(process.waitForOutput(": told again"), "\(process.outputSoFar)")
    #expect(process.outputSoFar.contains("'\(file)' has changed\n"))
    process.send(SIGINT)
    #expect(process.result(limitSeconds: 20).exitCode == 130)
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `a signal cancels a watched run, which still cleans up, and ends the watch`(
    _ signal: Int32, _ code: Int32
  ) throws {
    defer { tool.remove() }
    try tool.write(
      """
      name: cancelled
      cleanup: 1m
      steps:
        long: { run: echo begun; sleep 600 }
        cleanup: { needs: long, if: always(), run: touch cleaned }
      """, to: "w.yaml")
    let process = try start("w.yaml")
    #expect(process.waitForOutput("long: begun"))
    process.send(signal)
    let result = process.result(limitSeconds: 20)
    #expect(result.exitCode == code)
    #expect(exists("cleaned"))
    #expect(result.output.contains("cancelled: cancelled"), "\(result.output)")
    #expect(!result.output.contains("watching for changes"))
  }

  @Test func `a change during a watched run does not interrupt the run, but repeats it after its end`() throws {
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      steps:
        a: { run: 'echo begun; while [ ! -e go ]; do sleep 0.01; done; cat in.txt', inputs-from: [in.txt] }
      """, to: "w.yaml")
    try tool.write("old\n", to: "in.txt")
    let process = try start("w.yaml")
    #expect(process.waitForOutput("a: begun"))
    try tool.write("newer\n", to: "in.txt")
    try tool.write("", to: "go")
    #expect(waits(process, times: 1))
    let output = process.outputSoFar
    #expect(output.components(separatedBy: "a: begun").count == 3, "\(output)")
    #expect(output.contains("'in.txt' has changed\n"))
    process.send(SIGINT)
    #expect(process.result(limitSeconds: 20).exitCode == 130)
  }

  @Test func `a watched run that writes files that it reads does not repeat forever`() throws {
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      steps:
        write: { run: echo x >> all.txt }
        read: { run: cat all.txt, needs: write, inputs-from: [all.txt] }
      """, to: "w.yaml")
    try tool.write("", to: "all.txt")
    let process = try start("w.yaml")
    #expect(process.waitForOutput("files change during each run; watching for the next change"))
    #expect(try tool.text(of: "all.txt") == "x\nx\nx\nx\n")
    process.send(SIGINT)
    #expect(process.result(limitSeconds: 20).exitCode == 130)
  }

  @Test func `a watched run repeats after a change to a plugin's program`() throws {
    defer { tool.remove() }
    #expect(try tool.run("plugins", "new", "shout", "--language", "python").exitCode == 0)
    try tool.write("name: w\nsteps: { a: { run: echo told } }\n", to: "w.yaml")
    let process = try start("w.yaml")
    #expect(waits(process, times: 1))
    let program = try #require(
      try FileManager.default.contentsOfDirectory(atPath: tool.folder.path + "/plugins/shout").first {
        $0.hasSuffix(".py")
      })
    let handle = try #require(FileHandle(forWritingAtPath: tool.folder.path + "/plugins/shout/\(program)"))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("# another\n".utf8))
    try handle.close()
    #expect(waits(process, times: 2), "\(process.outputSoFar)")
    #expect(process.outputSoFar.contains("/shout/\(program)' has changed"), "\(process.outputSoFar)")
    process.send(SIGINT)
    #expect(process.result(limitSeconds: 20).exitCode == 130)
  }

  @Test func `a watched run does not repeat for files that its steps produce, even if a pattern matches them`() throws {
    defer { tool.remove() }
    try tool.write(
      "name: w\nsteps:\n  a: { run: date +%N > made.txt; cat in.txt, inputs-from: ['*.txt'], produces: [made.txt] }\n",
      to: "w.yaml")
    try tool.write("first\n", to: "in.txt")
    let process = try start("w.yaml")
    #expect(waits(process, times: 1))
    #expect(!process.outputSoFar.contains("has changed"))
    process.send(SIGINT)
    #expect(process.result(limitSeconds: 20).exitCode == 130)
  }

  @Test func `a watched run ends if the watch is killed`() throws {
    defer { tool.remove() }
    try tool.write("name: w\nsteps: { a: { run: 'echo $$ > number; echo begun; sleep 600' } }\n", to: "w.yaml")
    let process = try start("w.yaml")
    #expect(process.waitForOutput("a: begun"))
    let number = try #require(ListedProcess.number(try tool.text(of: "number")))
    process.send(SIGKILL)
    #expect(process.result(limitSeconds: 20).exitCode == 128 + SIGKILL)
    #expect(within(seconds: 60) { kill(number, 0) != 0 })
  }

  @Test func `a watched run with --json prints only JSON events`() throws {
    defer { tool.remove() }
    try tool.write("name: w\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
    let process = try start("w.yaml", "--json")
    #expect(process.waitForErrors(Self.watching))
    process.send(SIGINT)
    let lines = process.result(limitSeconds: 20).lines
    #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("{") })
  }

  @Test(arguments: [
    (["w.yaml", "--watch", "--explain"], "--watch runs and --explain does not; leave one of them out"),
    (
      ["w.yaml", "--watch", "-i", "key=@-"],
      "-i 'key=@-': standard input can be read once, and --watch runs again; name a file"
    ),
    (["/dev/null", "--watch"], "--watch: '/dev/null' cannot be watched; name a workflow file"),
  ])
  func `--watch rejects options and files that it cannot use again`(_ arguments: [String], _ message: String) throws {
    defer { tool.remove() }
    try tool.write("name: w\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
    let output = try tool.run(arguments)
    #expect(output == .init(exitCode: 64, standardOutput: "", standardError: "flowrun: \(message)\n"))
  }
}
