import Synchronization
import TestSupport
import Testing

@testable import FlowSystem

/// The thread that waits for the output and the end of all children.
@Suite(.timeLimit(.minutes(10))) struct ReadinessWatchTests {
  private let calls = Calls()

  private final class Calls: Sendable {
    private let names = Mutex<[String]>([])
    var all: [String] { names.withLock { $0 } }
    func note(_ name: String) { names.withLock { $0.append(name) } }
  }

  private static func close(_ descriptor: consuming Descriptor) {}

  private func wait(_ name: String, _ files: [CInt], within time: Duration? = nil) {
    ReadinessWatch.shared.wait(for: files, within: time) { [calls] in calls.note(name) }
  }

  @Test func `a wait for files completes once, as soon as any of them is ready`() throws {
    #expect(ReadinessWatch.shared.begin())
    let first = try Descriptor.pipe()
    let second = try Descriptor.pipe()
    wait("both", [first.reading.number, second.reading.number, -1])
    for pipe in [first.writing.number, second.writing.number] {
      _ = withUnsafeBytes(of: UInt8(1)) { SystemCall.write(pipe, $0) }
    }
    within(seconds: 60) { !calls.all.isEmpty }
    // The ended wait has released both files, so each can be in another wait. They are still readable.
    wait("second", [second.reading.number])
    within(seconds: 60) { calls.all.count > 1 }
    wait("first", [first.reading.number])
    within(seconds: 60) { calls.all.count > 2 }
    #expect(calls.all == ["both", "second", "first"])
  }

  @Test func `a wait for files ends when a pipe is closed, a child ends, or its time limit is reached`() throws {
    #expect(ReadinessWatch.shared.begin())
    let pipe = try Descriptor.pipe()
    let writing = Descriptor(fcntl(pipe.writing.number, F_DUPFD_CLOEXEC, 3))
    let reading = pipe.takeReading()
    wait("end", [reading.number])
    let child = try Children.start("exec sleep 600")
    let exit = Descriptor.exitWatch(of: child.number)
    wait("child", [exit.number])
    wait("time", [], within: .milliseconds(30))
    wait("earlier", [], within: .milliseconds(1))
    within(seconds: 60) { calls.all.count == 2 }
    #expect(Set(calls.all) == ["earlier", "time"])
    child.send(SIGKILL)
    within(seconds: 60) { calls.all.count == 3 }
    Self.close(writing)
    within(seconds: 60) { calls.all.count == 4 }
    #expect(Set(calls.all) == ["earlier", "time", "child", "end"])
    _ = child.collect()
  }
}
