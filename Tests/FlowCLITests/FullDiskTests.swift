#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// Uses a small disk. Only root can create it.
  @Suite(.serialized) struct `A nearly full disk` {
    private let disk: String

    init() throws {
      disk = FileManager.default.temporaryDirectory.path + "/flowrun-disk-\(UInt64.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    }

    private static var isRoot: Bool { getuid() == 0 }

    private func clean() {
      _ = try? Shell.run("umount '\(disk)'")
      try? FileManager.default.removeItem(atPath: disk)
    }

    /// Creates the disk again and leaves `kibibytes` KiB free. Returns false if this machine cannot create it.
    private func leave(_ kibibytes: Int) throws -> Bool {
      try Shell.run(
        """
        umount '\(disk)' 2>/dev/null; mount -t tmpfs -o size=640k none '\(disk)' &&
        head -c $((640 * 1024 - \(kibibytes) * 1024 - 8192)) /dev/zero > '\(disk)/filler'; test -e '\(disk)/filler'
        """
      ).status == 0
    }

    private static let workflow = """
      name: full
      steps:
        a: { uses: shell.run, with: { command: "echo a >> $LOG" }, env: { LOG: LOGFILE } }
        b: { uses: shell.run, needs: a, with: { command: "echo b >> $LOG" }, env: { LOG: LOGFILE } }
        c: { uses: shell.run, needs: b, with: { command: "echo c >> $LOG" }, env: { LOG: LOGFILE } }

      """

    /// The disk can become full at any write. This does not affect a normal run. A durable run ends with an error. When
    /// there is space again, it is resumed without repeating recorded steps.
    @Test(.enabled(if: isRoot), .timeLimit(.minutes(10)))
    func `on a nearly full disk, normal runs succeed, and durable runs do not repeat recorded steps`() throws {
      let outside = try CommandLineTool()
      defer {
        outside.remove()
        clean()
      }
      let step = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] == nil ? 16 : 4
      var ended = 0
      for kibibytes in stride(from: 0, through: 160, by: step) {
        for mode in [[], ["--durable"]] {
          guard try leave(kibibytes) else { return }
          let log = outside.folder.path + "/log"
          try? FileManager.default.removeItem(atPath: log)
          try outside.write(Self.workflow.replacing("LOGFILE", with: log), to: "w.yaml")
          try FileManager.default.createSymbolicLink(
            atPath: disk + "/w.yaml", withDestinationPath: outside.folder.path + "/w.yaml")
          let file = disk + "/w.yaml"
          let run = try outside.run([file, "--data", outside.folder.path + "/data"] + mode)
          if mode.isEmpty {
            #expect(run.exitCode == 0, "\(kibibytes): \(run)")
            #expect(try outside.text(of: "log") == "a\nb\nc\n")
            continue
          }
          #expect([0, 1, 2].contains(run.exitCode), "\(kibibytes): \(run)")
          if run.exitCode == 0 { continue }
          ended += 1
          #expect((run.standardOutput + run.standardError).contains("disk is full"), "\(kibibytes): \(run)")
          try FileManager.default.removeItem(atPath: disk + "/filler")
          let known = try outside.run("runs", "--in", file).standardOutput
          guard known.contains("full") else { continue }
          let resumed = try outside.run("resume", "last", "--in", file)
          #expect(resumed.exitCode == 0 || resumed.standardError.contains("never activated"), "\(resumed)")
          guard resumed.exitCode == 0 else { continue }
          let lines = try outside.text(of: "log").split(separator: "\n").map(String.init)
          #expect(Set(lines) == ["a", "b", "c"], "\(kibibytes): \(lines)")
          for kept in ["a", "b", "c"] where resumed.standardOutput.contains("kept: ") {
            let line = resumed.standardOutput.split(separator: "\n").first { $0.hasPrefix("kept: ") } ?? ""
            let isKept = line.dropFirst(6).split(separator: ",").contains { $0.drop { $0 == " " } == kept }
            if isKept { #expect(lines.count { $0 == kept } == 1, "\(kibibytes): \(lines)") }
          }
        }
      }
      #expect(ended > 1)
    }
  }

  struct `A hundred concurrent runs in one folder` {
    @Test(.timeLimit(.minutes(10))) func `a hundred concurrent runs in a folder are all recorded`() throws {
      let tool = try CommandLineTool()
      defer { tool.remove() }
      try tool.write(
        """
        name: crowd
        steps:
          a: { uses: flow.noop }
          b: { uses: flow.sleep, needs: a, with: { for: 200ms } }
          c: { uses: flow.noop, needs: b }

        """, to: "w.yaml")
      let processes = try (0..<100).map { number in
        try FlowrunProcess(number % 10 == 0 ? ["w.yaml", "--durable"] : ["w.yaml"], in: tool.folder.path)
      }
      for process in processes {
        let result = process.result(limitSeconds: 120)
        #expect(result.exitCode == 0 && !result.output.contains("warning"), "\(result)")
      }
      let list = try tool.run("runs", "--limit", "200", "--state", "success").standardOutput
      #expect(list.split(separator: "\n").count == 100)
      for line in list.split(separator: "\n").prefix(5) {
        let page = try tool.run("runs", "show", String(line.prefix(8))).standardOutput
        #expect(page.components(separatedBy: "success").count - 1 == 4, "\(page)")
      }
    }
  }
#endif
