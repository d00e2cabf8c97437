#if os(Linux)
  import Foundation
  import Glibc
  import TestSupport
  import Testing

  @Suite(.timeLimit(.minutes(2))) struct `A run inside a run` {
    private let tool: CommandLineTool

    /// The folder of the runs has a link to the command, whose own path may contain spaces.
    init() throws {
      tool = try CommandLineTool()
      try FileManager.default.createSymbolicLink(
        atPath: tool.folder.path + "/flowrun", withDestinationPath: FlowrunProcess.path)
    }

    @Test(arguments: [
      "[./flowrun, inner.yaml]", "./flowrun inner.yaml; echo never", "./flowrun outer2.yaml; echo never",
    ])
    func `an inner run has time for its cleanup when the outer run is cancelled`(
      command: String
    ) throws {
      defer { tool.remove() }
      try tool.write(
        """
        name: inner
        steps:
          wait: { run: 'touch begun; sleep 60' }
        finally:
          tidy: { run: 'sleep 1.5; touch tidied; echo all is tidy' }
        """, to: "inner.yaml")
      let stop = "stop: { within: 10ms }"
      func outer(_ name: String, _ command: String) throws {
        try tool.write("name: \(name)\nsteps:\n  inner: { run: \(command), \(stop) }\n", to: "\(name).yaml")
      }
      try outer("outer", command)
      try outer("outer2", "./flowrun inner.yaml; echo never")
      let process = try FlowrunProcess(["outer.yaml"], in: tool.folder.path)
      #expect(within(seconds: 30) { FileManager.default.fileExists(atPath: tool.folder.path + "/begun") })
      process.send(SIGTERM)
      let result = process.result()
      #expect(result.exitCode == 128 + SIGTERM)
      #expect(result.errors.contains("stopping; press Ctrl-C again to end at once (up to "), "\(result)")
      #expect(FileManager.default.fileExists(atPath: tool.folder.path + "/tidied"), "\(result)")
      #expect(result.output.contains("all is tidy") && !result.output.contains("never"), "\(result)")
      #expect(!result.output.contains("was killed"), "\(result)")
    }

    @Test func `an inner run that a finished command left behind is stopped and has time for its cleanup`() throws {
      defer { tool.remove() }
      try tool.write(
        """
        name: inner
        steps:
          wait: { run: 'touch begun; sleep 60' }
        finally:
          tidy: { run: 'sleep 1.5; touch tidied' }
        """, to: "inner.yaml")
      try tool.write(
        """
        name: outer
        steps:
          leave: { run: './flowrun inner.yaml & while ! [ -e begun ]; do sleep 0.02; done' }
        """, to: "outer.yaml")
      let result = try tool.run("outer.yaml")
      #expect(result.exitCode == 0 && result.standardOutput.contains("had left running"), "\(result)")
      #expect(FileManager.default.fileExists(atPath: tool.folder.path + "/tidied"), "\(result)")
    }

    @Test(arguments: [
      "setsid -w ./flowrun inner.yaml; echo never", "timeout 60 ./flowrun inner.yaml; echo never",
      "sh -c 'setsid ./flowrun inner.yaml & wait'; echo never",
    ])
    func `an inner run in a separate session or group is stopped and has time for its cleanup`(command: String) throws {
      defer { tool.remove() }
      try tool.write(
        """
        name: inner
        steps:
          wait: { run: 'touch begun; sleep 60' }
        finally:
          tidy: { run: 'sleep 1.5; touch tidied' }
        """, to: "inner.yaml")
      try tool.write(
        "name: outer\nsteps:\n  inner: { run: \"\(command)\", stop: { within: 10ms } }\n", to: "outer.yaml")
      let process = try FlowrunProcess(["outer.yaml"], in: tool.folder.path)
      #expect(within(seconds: 30) { FileManager.default.fileExists(atPath: tool.folder.path + "/begun") })
      process.send(SIGTERM)
      let result = process.result()
      #expect(result.exitCode == 128 + SIGTERM, "\(result)")
      #expect(FileManager.default.fileExists(atPath: tool.folder.path + "/tidied"), "\(result)")
      #expect(!result.output.contains("never") && !result.output.contains("was killed"), "\(result)")
    }

    @Test func `an inner run that outlives its step in a separate session is stopped with the outer run`() throws {
      defer { tool.remove() }
      try tool.write(
        """
        name: inner
        steps:
          wait: { run: 'touch begun; sleep 60' }
        finally:
          tidy: { run: 'sleep 1.5; touch tidied' }
        """, to: "inner.yaml")
      try tool.write(
        """
        name: outer
        steps:
          leave: { run: 'setsid ./flowrun inner.yaml & while ! [ -e begun ]; do sleep 0.02; done' }
        """, to: "outer.yaml")
      let result = try tool.run("outer.yaml")
      #expect(result.exitCode == 0 && result.standardOutput.contains("had left running"), "\(result)")
      #expect(FileManager.default.fileExists(atPath: tool.folder.path + "/tidied"), "\(result)")
    }

    @Test func `an inner run in a service has time for its cleanup when the service is stopped`() throws {
      defer { tool.remove() }
      try tool.write(
        """
        name: inner
        steps:
          wait: { run: 'touch begun; sleep 60' }
        finally:
          tidy: { run: 'sleep 1.5; touch tidied' }
        """, to: "inner.yaml")
      try tool.write(
        """
        name: outer
        steps:
          serve: { service: true, run: './flowrun inner.yaml; echo never', stop: { within: 10ms } }
          use: { run: 'while ! [ -e begun ]; do sleep 0.02; done', needs: serve }
        """, to: "outer.yaml")
      let result = try tool.run("outer.yaml")
      #expect(result.exitCode == 0 && !result.standardOutput.contains("never"), "\(result)")
      #expect(FileManager.default.fileExists(atPath: tool.folder.path + "/tidied"), "\(result)")
    }

    @Test func `an inner run reports its stop time only to a pipe that flowrun created`() throws {
      defer { tool.remove() }
      try tool.write("name: w\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
      // The variable names this pipe. Unlike those of flowrun, it blocks writers.
      let (status, output) = try Shell.run(
        """
        ( export FLOWRUN_STOP="1:$(stat -L -c %d:%i /dev/fd/3):1"; '\(FlowrunProcess.path)' w.yaml ) 3>&1 | cat
        touch notes
        FLOWRUN_STOP="1:$(stat -c %d:%i notes):1" '\(FlowrunProcess.path)' w.yaml >> notes
        for text in 1:2 x:1:1:1 -1:1:1:1 99999999999:1:1:1; do
          FLOWRUN_STOP=$text '\(FlowrunProcess.path)' w.yaml > out || exit 1
        done
        cat notes
        """, in: tool.folder.path)
      #expect(status == 0 && output.contains("w: success"), "\(output)")
      #expect(output.firstMatch(of: #/(?m)^1 \d+ \d+$/#) == nil, "\(output)")
    }
  }
#endif
