import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tests the recorded logs of steps that print a lot.
@Suite(.timeLimit(.minutes(10))) struct `The recorded log of a run` {
  private func log(_ head: String, _ step: String, of name: String) throws -> String {
    let folder = try WorkflowFolder([
      "w.yaml": """
      name: w
      \(head)
      steps:
        long: { run: "seq -f 'line %07g' 1 100000", \(step) }
        short: { needs: long, run: echo the address is here }
      """
    ])
    #expect(try folder.flowrun("w.yaml").status == 0)
    return try folder.flowrun("logs", "last", "--step", name).text
  }

  @Test func `keeps the beginning and the end of a step's long output, and all lines of the next step`() throws {
    let long = try log("", "", of: "long").split(separator: "\n")
    #expect(long.first == "long: line 0000001" && long.last == "long: line 0100000", "\(long.count)")
    let marker = try #require(long.first { $0.contains("[flowrun: ") })
    #expect(marker.hasSuffix("bytes, are not recorded; a larger log-limit keeps more]"), "\(marker)")
    // Each line has 13 bytes.
    #expect((80_000..<81_500).contains(long.count), "\(long.count)")
    #expect(try log("", "", of: "short") == "short: the address is here\n")
  }

  @Test func `applies the log-limit of the workflow and that of a step`() throws {
    #expect(try log("", "log-limit: 2MiB", of: "long").split(separator: "\n").count == 100_000)
    let shared = try log("log-limit: 128KiB", "quiet: false", of: "long").split(separator: "\n").count
    #expect((4_900..<5_200).contains(shared), "\(shared)")
    #expect(try log("log-limit: 1KiB", "log-limit: 1GiB", of: "long").split(separator: "\n").count < 100)
  }

  @Test(arguments: ["100B", "2GiB", "1048576", "many"]) func `an invalid log-limit is refused`(_ limit: String)
    throws
  {
    let texts = [
      "log-limit: \(limit)\nsteps: { a: { run: 'true' } }", "steps: { a: { run: 'true', log-limit: \(limit) } }",
    ]
    for text in texts {
      let (said, status) = try WorkflowFolder(["w.yaml": "name: w\n\(text)\n"]).flowrun("validate", "w.yaml")
      #expect(status == 2 && said.contains("log-limit"), "\(said)")
    }
  }

  /// Starts a run that prints much more than is recorded and then waits, and a process that follows it from the first
  /// line.
  private func followed(_ body: (WorkflowFolder, _ run: FlowrunProcess, _ follower: FlowrunProcess) throws -> Void)
    throws
  {
    let folder = try WorkflowFolder([
      "w.yaml": """
      name: w
      log-limit: 8KiB
      steps:
        long:
          run: |
            echo ready
            while [ ! -e begin ]; do sleep 0.05; done
            seq -f 'line %07g' 1 20000
            while [ ! -e end ]; do sleep 0.05; done
        short: { needs: long, run: echo the address is here }
      """
    ])
    let run = try FlowrunProcess(["w.yaml"], in: folder.url.path)
    defer {
      run.send(SIGKILL)
      _ = run.result()
    }
    #expect(try within(seconds: 60) { try folder.flowrun("logs", "last").text == "long: ready\n" })
    let follower = try FlowrunProcess(["logs", "last", "-f"], in: folder.url.path)
    defer {
      follower.send(SIGKILL)
      _ = follower.result()
    }
    #expect(follower.waitForOutput("long: ready\n", limitSeconds: 60))
    try folder.write("", to: "begin")
    #expect(follower.waitForOutput("long: line 0020000\n", limitSeconds: 60))
    try body(folder, run, follower)
  }

  @Test func `can be followed in full by another process, and is within the limit at the end`() throws {
    try followed { folder, run, follower in
      try folder.write("", to: "end")
      #expect(run.result().exitCode == 0)
      let numbers = (1...20_000).map { "long: line " + String(format: "%07d", $0) }
      #expect(follower.result().lines == ["long: ready"] + numbers + ["short: the address is here"])
      let record = try folder.flowrun("logs", "last", "--step", "long").text.split(separator: "\n")
      #expect((300..<340).contains(record.count), "\(record.count)")
      #expect(record.filter { $0.contains("[flowrun: ") }.count == 1 && record.last == "long: line 0020000")
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/.flowrun/runs.sqlite-live")
      #expect(files.isEmpty, "\(files)")
    }
  }

  @Test func `keeps the lines that were written before flowrun was killed`() throws {
    try followed { folder, run, _ in
      run.send(SIGKILL)
      #expect(run.result().exitCode == 128 + SIGKILL)
      let log = try folder.flowrun("logs", "last").text
      #expect(log.hasSuffix("long: line 0020000\n"), "\(log.suffix(200))")
    }
  }
}
