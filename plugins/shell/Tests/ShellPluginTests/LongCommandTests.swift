import FlowModel
import FlowPluginKit
import FlowTestKit
import Testing

@testable import ShellPlugin

/// Tests commands and variables that exceed the system's limits, merged output, and hints about bash.
@Suite(.timeLimit(.minutes(10))) struct `A command` {
  let host = TestHost(workflowFolder: "/")

  private func failure(_ inputs: ValueObject) async -> ActionError? {
    do {
      _ = try await host.call(RunShell.self, with: inputs)
      return nil
    } catch {
      return error as? ActionError
    }
  }

  @Test(
    arguments: [
      ("sh", "#", "echo \"$? $0 end\""), ("bash", "#", "list=(1 2); echo \"${#list[@]} end\""),
      ("python", "#", "import sys; print(__name__, len(sys.argv), 'end')"),
    ])
  func `passes a script longer than 128 KiB to its shell as a file`(shell: String, comment: String, last: String)
    async throws
  {
    let text = comment + String(repeating: "x", count: 200_000) + "\n" + last
    let output = try await host.call(RunShell.self, with: ["command": .string(text), "shell": .string(shell)])
    let short = try await host.call(RunShell.self, with: ["command": .string(last), "shell": .string(shell)])
    #expect(output["stdout"]?.stringValue?.hasSuffix("end") == true, "\(output)")
    if shell != "sh" { #expect(output["stdout"] == short["stdout"]) }
  }

  @Test func `passes a script longer than 128 KiB as a file even without a shell input`() async throws {
    let text = "#" + String(repeating: "x", count: Command.longestArgumentBytes) + "\necho end"
    #expect(try await host.call(RunShell.self, with: ["command": .string(text)])["stdout"] == "end")
  }

  @Test func `fails without a retry if a variable or an argument is too long, and reports its size`() async throws {
    let error = await failure(["command": "true", "env": ["LIST": .string(String(repeating: "x", count: 150_000))]])
    #expect(error?.code == "arguments-too-long" && error?.isRetryable == false)
    #expect(error?.message.contains("the variable 'LIST' has 150000 bytes") == true, "\(error?.message ?? "")")
    let argument = await failure(["command": ["echo", .string(String(repeating: "x", count: 150_000))]])
    #expect(argument?.message.contains("an argument has 150000 bytes") == true, "\(argument?.message ?? "")")
  }

  @Test func `keeps lines in order if standard output and standard error are merged`() async throws {
    let text = "for i in 1 2 3 4 5 6 7 8 9; do echo out$i; echo err$i >&2; done"
    let output = try await host.call(RunShell.self, with: ["command": .string(text), "merge-output": true])
    #expect(output["stderr"] == "")
    #expect(output["stdout"]?.stringValue == (1...9).map { "out\($0)\nerr\($0)" }.joined(separator: "\n"))
  }

  @Test(arguments: ["if [[ a ]]; then", "[[ a == b ]]", "a=(1 2)"])
  func `suggests bash if sh cannot parse the script`(text: String) async throws {
    // In a folder of PATH that this user cannot read, sh would be denied permission.
    let path: ValueObject = ["PATH": "/usr/bin:/bin"]
    let error = await failure(["command": .string(text), "shell": "sh", "env": .object(path)])
    #expect(
      error?.message.contains("if it is written for bash, write 'shell: bash'") == true, "\(error?.message ?? "")")
    let plain = await failure(["command": "exit 3", "shell": "sh"])
    #expect(plain?.message.contains("bash") == false)
  }
}
