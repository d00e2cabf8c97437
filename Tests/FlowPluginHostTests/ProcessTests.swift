import FlowModel
import FlowPluginHost
import FlowTestKit
import Foundation
import Testing

/// The environment that a program inherits, and the processes that it leaves behind.
@Suite(.timeLimit(.minutes(10)))
struct ProcessTests {
  @Test func `a plugin's process inherits only PATH, the variables in its manifest and three descriptors`()
    async throws
  {
    setenv("FLOWRUN_TEST_SECRET", "secret", 1)
    let leaking = open("/dev/null", O_RDONLY)
    let child = try HostileChild()
    let text = try #require(try await child.call("environment")["text"]?.stringValue)
    let seen = try #require(try JSONText.parse(text).objectValue)
    // These variables are added by Python, a version manager and the shells between them.
    let own: Set = ["LC_CTYPE", "PWD", "OLDPWD", "SHLVL", "_"]
    let variables = Set(try #require(seen["variables"]?.arrayValue).compactMap(\.stringValue))
    let given = variables.subtracting(own).filter { !$0.contains("PYENV_") }
    #expect(given.sorted() == ["ACTIONS", "FLOWRUN_PLUGIN_SH", "NODE_PATH", "PATH", "PYTHONPATH"])
    #expect(seen["descriptors"] == [0, 1, 2])
    let folder = URL(filePath: HostileChild.folder).resolvingSymlinksInPath().path
    #expect(seen["folder"] == .string(folder))
    #expect(seen["blocked"] == [])
    await child.close()
    close(leaking)
  }

  @Test func `a plugin's process receives the variables of a step with each call, not at its start`() async throws {
    let child = try HostileChild()
    for value in ["first", "second"] {
      let run = TestHost(environment: ["GREETING": value])
      let text = try #require(try await child.call("environment", in: run)["text"]?.stringValue)
      let variables = try #require(try JSONText.parse(text).objectValue?["env"]?.objectValue)
      #expect(variables["GREETING"]?.stringValue == value)
      // These variables are added for the step's attempt.
      let own = ["FLOWRUN_ATTEMPT", "FLOWRUN_KEY", "FLOWRUN_RUN", "FLOWRUN_STEP", "GREETING"]
      #expect(variables.keys.sorted() == own)
    }
    await child.close()
  }

  @Test func `processes started by a plugin end if flowrun is killed with SIGKILL`() async throws {
    let note = FileManager.default.temporaryDirectory.appending(path: "killed-\(UUID().uuidString)").path
    setenv("FLOWRUN_TEST_NOTE", note, 1)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      let child = try HostileChild()
      let grandchild = try await child.call("fork-and-answer")["text"]?.stringValue ?? ""
      let note = try #require(ProcessInfo.processInfo.environment["FLOWRUN_TEST_NOTE"])
      try grandchild.write(toFile: note, atomically: true, encoding: .utf8)
      kill(getpid(), SIGKILL)
    }
    let grandchild = try #require(Int(try String(contentsOfFile: note, encoding: .utf8)))
    while HostileChild.isRunning(grandchild), !Task.isCancelled { await Task.yield() }
    try FileManager.default.removeItem(atPath: note)
  }

  @Test func `no process in a plugin's process group survives the end of the run`()
    async throws
  {
    let child = try HostileChild()
    let idle = try HostileChild()
    let number = try #require(Int(try await child.call("fork-and-answer")["text"]?.stringValue ?? ""))
    let group = try #require(HostileChild.group(of: number))
    #expect(HostileChild.members(ofGroup: group).count == 2)
    await child.close()
    await idle.close()
    while !HostileChild.members(ofGroup: group).isEmpty, !Task.isCancelled { await Task.yield() }
  }

  @Test func `10,000 calls and 20 plugin programs leak neither memory nor descriptors`() async {
    // The calls run in a separate process that does nothing else.
    await #expect(processExitsWith: .success) {
      let child = try HostileChild()
      for _ in 1...500 { _ = try await child.call("echo", ["text": "warm"]) }
      _ = try await child.call("exit-after")
      _ = try await child.call("echo")
      let before = (ProcessTests.descriptors(), ProcessTests.residentKilobytes())
      for number in 1...10_000 { _ = try await child.call("echo", ["text": .string("call \(number)")]) }
      for _ in 1...20 { _ = try await child.call("exit-after") }
      _ = try await child.call("echo")
      #expect(ProcessTests.descriptors() <= before.0)
      #expect(ProcessTests.residentKilobytes() - before.1 < 4_000)
      await child.close()
    }
  }

  private static func descriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  private static func residentKilobytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }
}
