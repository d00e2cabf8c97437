import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FlowSystem

/// Processes that this process starts must not outlive it, no matter how it ends.
@Suite(.timeLimit(.minutes(10))) struct ProcessGuardTests {
  @Test(arguments: [SIGKILL, SIGTERM, SIGABRT])
  func `no process group survives when a signal ends flowrun`(_ signal: CInt) async throws {
    let note = Children.newNote()
    setenv("FLOWRUN_TEST_NOTE", note, 1)
    setenv("FLOWRUN_TEST_SIGNAL", "\(signal)", 1)
    // Otherwise Swift's own handler of SIGABRT would write a backtrace and decide how the process ends.
    let backtrace = ProcessInfo.processInfo.environment["SWIFT_BACKTRACE"] ?? "enable=no"
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    defer { setenv("SWIFT_BACKTRACE", backtrace, 1) }
    await #expect(processExitsWith: .failure) {
      let environment = ProcessInfo.processInfo.environment
      let note = try #require(environment["FLOWRUN_TEST_NOTE"])
      let signal = try #require(CInt(environment["FLOWRUN_TEST_SIGNAL"] ?? ""))
      let groups = try (0..<20).map { _ in try Children.start("sleep 600 & exec sleep 600") }
      try groups.map { "\($0.number)" }.joined(separator: "\n").write(toFile: note, atomically: true, encoding: .utf8)
      kill(getpid(), signal)
      withExtendedLifetime(groups) { _ = pause() }
    }
    for group in try Children.noted(note) { await Children.expectGone(group: group) }
  }

  @Test func `a descendant process in its own group ends when flowrun is killed`() async throws {
    let note = Children.newNote()
    setenv("FLOWRUN_TEST_NOTE", note, 1)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      let note = try #require(ProcessInfo.processInfo.environment["FLOWRUN_TEST_NOTE"])
      let group = try Children.start(
        "timeout 600 sh -c 'echo $PPID > \(note).new; mv \(note).new \(note); sleep 600'; :")
      within(seconds: 60) { FileManager.default.fileExists(atPath: note) }
      kill(getpid(), SIGKILL)
      withExtendedLifetime(group) { _ = pause() }
    }
    for process in try Children.noted(note) { await Children.expectGone(process: process) }
  }

  @Test func `processes in their own group end with their session, even for many commands at once`() async throws {
    let groups = try (0..<20).map { _ in try Children.start("timeout 600 sleep 600 & timeout 600 sleep 600; :") }
    for group in groups {
      while Children.ofSession(group.number).count < 5 { await Task.yield() }
      group.send(SIGTERM)
    }
    await withTaskGroup { tasks in
      for group in groups { tasks.addTask { _ = group.collect(withSession: true) } }
    }
    for group in groups { await Children.expectGone(session: group.number) }
  }

  @Test func `a thousand consecutive commands share one guard process`() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<1000 {
        let ending = try Children.start("exit 3").collect()
        #expect(ending.status == .exited(code: 3))
      }
      #expect(Children.ofThisProcess().count == 1)
    }
  }

  @Test func `a killed guard process is replaced by one that also ends the groups of the first`() async throws {
    let note = Children.newNote()
    setenv("FLOWRUN_TEST_NOTE", note, 1)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      let note = try #require(ProcessInfo.processInfo.environment["FLOWRUN_TEST_NOTE"])
      let first = try Children.start("sleep 600")
      let guards = Children.ofThisProcess().filter { $0 != first.number && $0 > 1 }
      #expect(guards.count == 1)
      for number in guards { kill(number, SIGKILL) }
      within(seconds: 60) { Children.ofThisProcess().count < 2 }
      let second = try Children.start("sleep 600")
      try "\(first.number)\n\(second.number)".write(toFile: note, atomically: true, encoding: .utf8)
      kill(getpid(), SIGKILL)
      withExtendedLifetime((first, second)) { _ = pause() }
    }
    for group in try Children.noted(note) { await Children.expectGone(group: group) }
  }

  @Test func `the guard process accepts the maximum number of groups and refuses another one`() async {
    await #expect(processExitsWith: .success) {
      let first = try Children.start("exec sleep 600")
      var records: [ProcessGuard.Record] = []
      for _ in 1..<ProcessGuard.groupLimit { records.append(try ProcessGuard.shared.newRecord()) }
      #expect(throws: SystemError.self) { try Children.start("true") }
      ProcessGuard.shared.free(records.removeLast())
      let last = try Children.start("exec sleep 600")
      ProcessGuard.shared.killAll()
      for group in [first, last] { #expect(group.collect().status == .signaled(number: SIGKILL)) }
    }
  }

  @Test func `a child process leads its own session, with default signals and only three descriptors`() async throws {
    signal(SIGUSR2, SIG_IGN)
    defer { signal(SIGUSR2, SIG_DFL) }
    let leaking = open("/dev/null", O_RDONLY)
    defer { close(leaking) }
    let pipe = try Descriptor.pipe()
    let null = try Descriptor.null()
    let script =
      "ls /proc/self/fd | wc -l; cut -d' ' -f5,6 /proc/$$/stat; echo $$; exec grep -E '^Sig(Blk|Ign)' /proc/self/status"
    let group = try ProcessGroup(
      Program(["/bin/sh", "-c", script], environment: ["PATH": "/usr/bin:/bin"], folder: "/"),
      input: null.number, output: pipe.writing.number, errors: null.number)
    let reading = pipe.takeReading()
    #expect(group.collect() == .init(status: .exited(code: 0), leftBehind: false))
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes {
      if case .bytes(let count) = reading.receive(into: $0) { count } else { 0 }
    }
    let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
    // These are the three standard descriptors and the one that `ls` uses to read the folder.
    #expect(lines.first == "4")
    #expect(
      lines.dropFirst().first == "\(group.number) \(group.number)" && lines.dropFirst(2).first == "\(group.number)")
    for line in lines.dropFirst(3) {
      #expect((UInt64(line.split(separator: "\t").last ?? "", radix: 16) ?? .max) & 0x7FFF_FFFF == 0, "\(line)")
    }
  }
}
