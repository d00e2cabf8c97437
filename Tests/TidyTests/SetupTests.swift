#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// Tests `scripts/setup` with a replacement for apt-get.
  struct `Installing packages` {
    /// The programs that the script uses in addition to apt-get.
    private static let tools = [
      "awk", "basename", "bash", "cat", "dirname", "env", "grep", "id", "ldd", "mktemp", "readlink", "rm", "sort", "tr",
      "uname",
    ]

    /// Runs `scripts/setup bench` in an environment that lacks the programs that it checks for. `lines` is a shell
    /// script that replaces apt-get. In it, `$calls` is the file to which the arguments of each call are written.
    private func setup(aptGet lines: String) throws -> (status: Int32, output: String, calls: [String]) {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("flowrun-setup-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let link = Self.tools.map { "ln -s \"$(command -v \($0))\" '\(folder.path)'" }
      #expect(try Shell.run((["set -e"] + link).joined(separator: "\n")).status == 0)
      let calls = folder.appendingPathComponent("calls")
      let scripts = [
        "swift": "exit 0", "git": "exit 0", "sleep": "echo slept >> '\(calls.path)'", "sudo": "exec \"$@\"",
        "apt-get": "calls='\(calls.path)'\necho \"$*\" >> \"$calls\"\n\(lines)",
      ]
      for (name, text) in scripts {
        let path = folder.appendingPathComponent(name).path
        try "#!/bin/bash\n\(text)\n".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      }
      let result = try Shell.run("PATH='\(folder.path)' '\(Repository.root.path)/scripts/setup' bench")
      let text = (try? String(contentsOf: calls, encoding: .utf8)) ?? ""
      return (result.status, result.output, text.split(separator: "\n").map(String.init))
    }

    @Test func `makes apt-get wait for its lock, and hides its output on success`() throws {
      let result = try setup(aptGet: "echo Reading package lists")
      #expect(result.status == 0, "\(result.output)")
      #expect(result.calls.count == 2)
      #expect(result.calls.allSatisfy { $0.hasPrefix("-q -o DPkg::Lock::Timeout=300 ") })
      #expect(result.calls[0].hasSuffix(" update") && result.calls[1].contains(" install -y --no-install-recommends "))
      #expect(result.output.hasPrefix("setup: installing ") && !result.output.contains("Reading package lists"))
    }

    @Test func `tries again while another program holds the lock`() throws {
      let result = try setup(
        aptGet: """
          if [ "$(grep -c update "$calls")" -lt 3 ]; then
            echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 17 (apt-get)' >&2
            exit 100
          fi
          """)
      #expect(result.status == 0, "\(result.output)")
      #expect(result.calls.filter { $0.hasSuffix("update") }.count == 3)
      #expect(result.calls.filter { $0 == "slept" }.count == 2)
      #expect(result.output.components(separatedBy: "waiting up to 300 s for another program").count == 2)
    }

    @Test(arguments: ["update", "install"])
    func `prints apt-get's output and stops if apt-get fails`(subcommand: String) throws {
      let result = try setup(
        aptGet:
          "case \"$*\" in *\(subcommand)*) echo 'Reading lists'; echo 'E: Unable to locate package x' >&2; exit 100;; esac"
      )
      #expect(result.status == 1)
      #expect(result.output.contains("Reading lists\nE: Unable to locate package x\n"))
      #expect(
        result.output.contains("setup: 'apt-get \(subcommand)") && result.output.hasSuffix("its output is above\n"))
      #expect(result.calls.last?.contains(subcommand) == true)
    }
  }
#endif
