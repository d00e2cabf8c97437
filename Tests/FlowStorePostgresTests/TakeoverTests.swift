#if Network
  import Foundation
  import TestSupport
  import Testing

  /// Two processes use one database.
  struct `A run in a shared database` {
    private let database: Database
    private let folder: String

    init() throws {
      database = try Database()
      folder = FileManager.default.temporaryDirectory.path + "/flowrun-takeover-\(UInt64.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private var address: String { "postgresql:///postgres?host=\(database.folder)/socket&user=sync" }

    private func write(_ text: String, to name: String) throws {
      try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a suspended process cannot continue or change a durable run that another process has taken over`() throws {
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try write(
        """
        name: taken
        durable: true
        steps:
          a: { uses: flow.noop }
          b: { uses: shell.run, needs: a, with: { command: "test -e ok || exec sleep 100; echo b >> log" } }
          c: { uses: flow.log, needs: b, with: { message: done } }

        """, to: "w.yaml")
      let first = try FlowrunProcess(["w.yaml", "--verbose", "--store", address], in: folder)
      defer { first.send(SIGKILL) }
      #expect(first.waitForOutput("b started"))
      let held = try FlowrunProcess.run(["resume", "last", "--store", address], in: folder)
      #expect(held.exitCode == 1 && held.errors.contains("is already running (process"), "\(held)")
      first.send(SIGSTOP)
      try write("", to: "ok")
      // The lease expires after 20 s.
      let second = try FlowrunProcess.run(
        ["resume", "last", "--wait", "--store", address], in: folder, limitSeconds: 60)
      #expect(second.exitCode == 0 && second.output.contains("kept: a\n"), "\(second)")
      first.send(SIGCONT)
      let fenced = first.result()
      #expect(fenced.exitCode == 1 && fenced.output.contains("was taken over by another process"), "\(fenced)")
      #expect(!fenced.output.contains("c: done"))
      #expect(try String(contentsOfFile: "\(folder)/log", encoding: .utf8) == "b\n")
      let list = try FlowrunProcess.run(["runs", "--store", address, "--json"], in: folder)
      #expect(list.output.contains(#""state": "success""#) && list.output.contains(#""epoch": 2"#), "\(list)")
    }

    @Test(.timeLimit(.minutes(10)))
    func `a suspended process does not start another step of a run that another process has taken over`() throws {
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try write(
        """
        name: stale
        steps:
          a: { run: "test -e ok || { touch ok; exec sleep 3; }" }
          b: { run: echo b >> log, needs: a }
          c: { run: echo c >> log, needs: b, if: always() }

        """, to: "w.yaml")
      let first = try FlowrunProcess(["w.yaml", "--store", address], in: folder)
      defer { first.send(SIGKILL) }
      let isHeld = try within(seconds: 30) {
        let list = try FlowrunProcess.run(["runs", "--store", address], in: folder).output
        return FileManager.default.fileExists(atPath: "\(folder)/ok") && list.contains("running")
      }
      #expect(isHeld)
      first.send(SIGSTOP)
      // The lease expires after 20 s. By then, the command has ended and the next step is ready.
      let second = try FlowrunProcess.run(
        ["resume", "last", "--wait", "--store", address], in: folder, limitSeconds: 60)
      #expect(second.exitCode == 0, "\(second)")
      first.send(SIGCONT)
      let stale = first.result()
      #expect(stale.exitCode == 1 && stale.output.contains("was taken over by another process"), "\(stale)")
      #expect(try String(contentsOfFile: "\(folder)/log", encoding: .utf8) == "b\nc\n")
    }

    @Test(.timeLimit(.minutes(10))) func `a run continues after its database was killed and restarted`() throws {
      defer { try? FileManager.default.removeItem(atPath: folder) }
      var text = "name: through\ndurable: true\nsteps:\n"
      for step in 0..<30 {
        text += "  s\(step): { uses: flow.sleep, with: { for: 50ms }\(step > 0 ? ", needs: s\(step - 1)" : "") }\n"
      }
      try write(text, to: "w.yaml")
      let process = try FlowrunProcess(["w.yaml", "--verbose", "--store", address], in: folder)
      defer { process.send(SIGKILL) }
      #expect(process.waitForOutput("s5 started"))
      try database.kill()
      try database.start()
      let result = process.result()
      #expect(result.exitCode == 0 && result.output.contains("s29 succeeded"), "\(result)")
    }

    @Test func `--store is refused with --no-history, and if its address is invalid or unreachable`() throws {
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try write("name: n\nsteps: { a: { uses: flow.noop } }\n", to: "w.yaml")
      for arguments in [["w.yaml", "--store", "mysql://x"], ["runs", "--store", "runs.sqlite"]] {
        let result = try FlowrunProcess.run(arguments, in: folder)
        #expect(result.exitCode == 64 && result.errors.contains("write the address of a PostgreSQL database"))
      }
      #expect(try FlowrunProcess.run(["w.yaml", "--store", address, "--no-history"], in: folder).exitCode == 64)
      let away = try FlowrunProcess.run(["runs", "--store", "postgres://127.0.0.1:1/x"], in: folder)
      #expect(away.exitCode == 2 && away.errors.contains("PostgreSQL cannot be reached"), "\(away)")
    }
  }
#endif
