import Dispatch
import FlowModel
import Foundation
import Synchronization
import Testing

@testable import FlowEngine

/// Steps run on serial queues of Dispatch if it starts their blocks, and otherwise on threads that flowrun creates.
@Suite(.timeLimit(.minutes(10))) struct PoolQueueTests {
  private let arrival = PoolQueues.arrivalNanoseconds
  private let pause = PoolQueues.pauseNanoseconds

  @Test(arguments: [
    (StepQueue.userInteractive, DispatchQoS.userInteractive), (.userInitiated, .userInitiated), (.utility, .utility),
    (.background, .background),
  ])
  func `work runs on a Dispatch queue of its quality of service, and later work reuses the queue`(
    _ quality: StepQueue, _ expected: DispatchQoS
  ) {
    let dispatch = FakeDispatch()
    let queues = dispatch.queues()
    let diary = Diary()
    for round in 1...3 {
      #expect(queues.accepts(quality, diary))
      dispatch.startAll(round)
      #expect(diary.all == Array(repeating: "block", count: round))
    }
    // Linux reports a different quality of service than the one that a queue was created with.
    let reported = DispatchQueue(label: "example", qos: expected).qos
    #expect(dispatch.used.allSatisfy { $0.qos == reported && $0.label == "flowrun.\(quality.rawValue)" })
    #expect(Set(dispatch.used.map(ObjectIdentifier.init)).count == 1)
  }

  @Test func `each quality of service has a separate limit of 48 pool queues`() {
    let dispatch = FakeDispatch()
    let queues = dispatch.queues()
    for _ in 0..<48 {
      #expect(queues.accepts(.utility))
    }
    #expect(!queues.accepts(.utility))
    #expect(queues.accepts(.background))
    dispatch.startAll(49)
    #expect(queues.accepts(.utility))
  }

  @Test func `work that Dispatch has not started after 5 ms runs on another thread, and only there`() {
    let dispatch = FakeDispatch()
    let queues = dispatch.queues()
    let diary = Diary()
    #expect(queues.accepts(.utility, diary))
    dispatch.awaitBlocks(1)
    dispatch.advance(to: arrival - 1)
    #expect(diary.all.isEmpty)
    dispatch.advance(to: arrival)
    #expect(diary.all == ["instead"])
    dispatch.startAll(1)
    #expect(diary.all == ["instead"])
  }

  @Test func `work that Dispatch has started in time does not also run on another thread`() {
    let dispatch = FakeDispatch()
    let queues = dispatch.queues()
    let diary = Diary()
    #expect(queues.accepts(.utility, diary))
    dispatch.startAll(1)
    dispatch.advance(to: arrival)
    #expect(diary.all == ["block"])
  }

  @Test func `for a second after a late block, Dispatch gets only work of other qualities of service`() {
    let dispatch = FakeDispatch()
    let queues = dispatch.queues()
    #expect(queues.accepts(.utility))
    dispatch.awaitBlocks(1)
    dispatch.advance(to: arrival)
    #expect(!queues.accepts(.utility))
    #expect(queues.accepts(.background))
    dispatch.startAll(2)
    dispatch.advance(to: arrival + pause - 1)
    #expect(!queues.accepts(.utility))
    dispatch.advance(to: arrival + pause)
    #expect(queues.accepts(.utility))
  }

  @Test func `if several blocks are passed to Dispatch, each of them has 5 ms to start`() {
    let dispatch = FakeDispatch()
    let queues = dispatch.queues()
    let diary = Diary()
    #expect(queues.accepts(.utility, diary, "first "))
    dispatch.advance(to: arrival - 1)
    #expect(queues.accepts(.utility, diary, "second "))
    dispatch.advance(to: 2 * arrival - 2)
    #expect(diary.all == ["first instead"])
    dispatch.advance(to: 2 * arrival - 1)
    #expect(diary.all == ["first instead", "second instead"])
  }

  @Test func `a late block that is still queued in Dispatch does not keep its run in memory`() {
    final class Run: Sendable {}
    let dispatch = FakeDispatch()
    let queues = dispatch.queues()
    weak var weakRun: Run?
    do {
      let run = Run()
      weakRun = run
      let isAccepted = queues.run(.utility) {
        _ = run
      } instead: {
        _ = run
      }
      #expect(isAccepted)
    }
    dispatch.awaitBlocks(1)
    #expect(weakRun != nil)
    dispatch.advance(to: arrival)
    #expect(weakRun == nil)
    dispatch.startAll(1)
  }

  @Test func `a call to Dispatch that does not return does not delay other threads`() {
    let dispatch = FakeDispatch()
    let isStuck = Atomic(true)
    let diary = Diary()
    let queues = PoolQueues(
      clock: dispatch.clock,
      submit: { queue, block in
        diary.write("called")
        while isStuck.load(ordering: .acquiring) { usleep(1000) }
        dispatch.submit(queue, block)
      })
    #expect(queues.accepts(.utility, diary, "first "))
    #expect(queues.accepts(.background, diary, "second "))
    while diary.count < 1 { usleep(1000) }
    dispatch.advance(to: arrival)
    #expect(diary.all == ["called", "first instead", "second instead"])
    isStuck.store(false, ordering: .releasing)
    // The second block was withdrawn before it was passed to Dispatch, so it is never passed.
    dispatch.startAll(1)
    dispatch.advance(to: arrival + pause)
    #expect(queues.accepts(.background, diary, "third "))
    dispatch.startAll(2)
    #expect(diary.all.dropFirst(3) == ["called", "third block"])
  }

  @Test func `the engine holds no lock while it passes a block to Dispatch`() {
    let dispatch = FakeDispatch()
    let nested = Mutex<PoolQueues?>(nil)
    let accepted = Atomic(0)
    let queues = PoolQueues(
      clock: dispatch.clock,
      submit: { queue, block in
        let isAccepted = nested.withLock { $0.take() }?.run(.utility) {
        } instead: {
        }
        if isAccepted == true { accepted.add(1, ordering: .relaxed) }
        dispatch.submit(queue, block)
      })
    nested.withLock { $0 = queues }
    #expect(queues.accepts(.utility))
    dispatch.startAll(2)
    #expect(accepted.load(ordering: .relaxed) == 1)
  }

  @Test func `pool queues accept no work if the system refuses to start the watching thread`() {
    let dispatch = FakeDispatch()
    let diary = Diary()
    let queues = PoolQueues(
      clock: dispatch.clock, alarms: AlarmClock(clock: dispatch.clock, usesTimers: true), submit: dispatch.submit)
    for _ in 0..<100 {
      #expect(!queues.accepts(.utility, diary))
    }
    #expect(dispatch.used.isEmpty)
  }

  @Test func `Dispatch is not used if fewer than half of the allowed processes are free`() {
    let dispatch = FakeDispatch()
    let hasRoom = Atomic(false)
    let threads = PoolThreads(
      start: BareThread.start, hasRoom: { hasRoom.load(ordering: .relaxed) }, queues: dispatch.queues())
    let ran = DispatchSemaphore(value: 0)
    #expect(threads.run(.utility) { ran.signal() })
    ran.wait()
    #expect(dispatch.used.isEmpty)
    hasRoom.store(true, ordering: .relaxed)
    #expect(threads.run(.utility) { ran.signal() })
    dispatch.startAll(1)
    ran.wait()
  }

  @Test func `late work of a pool queue is reported as refused if no thread can be created for it`() {
    let dispatch = FakeDispatch()
    let threads = PoolThreads(start: { _, _ in false }, queues: dispatch.queues())
    let diary = Diary()
    #expect(threads.run(.utility, refusedLater: { diary.write("refused") }) { diary.write("ran") })
    dispatch.advance(to: arrival)
    #expect(diary.all == ["refused"])
    #expect(!threads.run(.utility, refusedLater: { diary.write("refused again") }) { diary.write("ran") })
    #expect(diary.count == 1)
  }

  #if os(Linux)
    @Test func `a pool queue runs each step with the step's niceness and then restores that of Dispatch`() {
      // Only the superuser may lower a niceness.
      let isAllowed = getuid() == 0
      let records = Mutex<[(before: Int32, during: Int32, after: Int32)]>([])
      let during = Atomic<Int>(0)
      let done = DispatchSemaphore(value: 0)
      // The clock stands still, so no block can be late.
      let clock = RunClock(virtual: VirtualClock())
      let queues = PoolQueues(clock: clock) { queue, block in
        queue.async {
          let before = niceness()
          block()
          records.withLock { $0.append((before, Int32(during.load(ordering: .relaxed)), niceness())) }
          done.signal()
        }
      }
      let threads = PoolThreads(start: BareThread.start, queues: queues)
      for (quality, expected) in [(StepQueue.userInitiated, Int32(0)), (.utility, 5), (.background, 10)] {
        #expect(threads.run(quality) { during.store(Int(niceness()), ordering: .relaxed) })
        done.wait()
        let last = records.withLock { $0.last! }
        if isAllowed || last.before <= expected { #expect(last.during == expected, "\(quality)") }
        if isAllowed { #expect(last.after == last.before, "\(quality)") }
      }
    }

    @Test(.enabled(if: getuid() == 0), arguments: Carrier.allCases)
    func `a command has the niceness of its step's queue`(_ carrier: Carrier) {
      let threads = carrier.threads()
      let done = DispatchSemaphore(value: 0)
      for (quality, expected) in [(StepQueue.utility, "5\n"), (.background, "10\n")] {
        let output = Mutex("")
        #expect(
          threads.run(quality) {
            let text = printed(by: "nice")
            output.withLock { $0 = text }
            done.signal()
          })
        done.wait()
        #expect(output.withLock { $0 } == expected)
      }
    }
  #endif

  /// This runs in a separate process, because the blocks would stop the tasks of other tests.
  @Test func `steps start even if other code occupies all threads of Dispatch`() async {
    await #expect(processExitsWith: .success) {
      let levels: [DispatchQoS] = [.userInteractive, .userInitiated, .utility, .background]
      let isOpen = Atomic(false)
      for level in levels {
        for number in 0..<512 {
          let global = DispatchQueue.global(qos: level.qosClass)
          global.async { while !isOpen.load(ordering: .relaxed) { usleep(100_000) } }
          DispatchQueue(label: "foreign-\(number)", qos: level).async {
            while !isOpen.load(ordering: .relaxed) { usleep(100_000) }
          }
        }
      }
      let threads = PoolThreads(start: BareThread.start, queues: PoolQueues())
      let started = DispatchSemaphore(value: 0)
      for quality in StepQueue.allCases {
        for _ in 0..<50 {
          if !threads.run(quality, { started.signal() }) { exit(2) }
          if started.wait(timeout: .now() + .seconds(60)) != .success { exit(3) }
        }
      }
      exit(0)
    }
  }
}

#if os(Linux)
  private func niceness() -> Int32 { getpriority(__priority_which_t(0), 0) }

  private func printed(by command: String) -> String {
    guard let stream = popen(command, "r") else { return "" }
    defer { pclose(stream) }
    var text = ""
    while true {
      let character = fgetc(stream)
      if character == EOF { return text }
      text.unicodeScalars.append(Unicode.Scalar(UInt8(character)))
    }
  }
#endif

extension PoolQueues {
  /// Submits work that writes `block` to the diary if Dispatch starts it in time, or `instead` otherwise. `name` is
  /// written before that word. Returns false if the work is not accepted.
  fileprivate func accepts(_ quality: StepQueue, _ diary: Diary = Diary(), _ name: String = "") -> Bool {
    run(quality) {
      diary.write(name + "block")
    } instead: {
      diary.write(name + "instead")
    }
  }
}

/// Replaces Dispatch: blocks start when a test asks for it, and only the test advances the clock.
private final class FakeDispatch: Sendable {
  private struct State {
    var blocks: [(queue: DispatchQueue, block: @Sendable () -> Void)] = []
    var startedCount = 0
  }

  private let state = Mutex(State())
  private let virtual = VirtualClock()
  let clock: RunClock

  init() { clock = RunClock(virtual: virtual) }

  func queues() -> PoolQueues { PoolQueues(clock: clock, submit: submit) }

  /// The queues to which blocks were passed, in order.
  var used: [DispatchQueue] { state.withLock { $0.blocks.map(\.queue) } }

  @Sendable func submit(_ queue: DispatchQueue, _ block: @escaping @Sendable () -> Void) {
    state.withLock { $0.blocks.append((queue, block)) }
  }

  /// Waits until this number of blocks has been passed, counted from the beginning.
  func awaitBlocks(_ count: Int) {
    while state.withLock({ $0.blocks.count }) < count { usleep(1000) }
  }

  /// Waits until this number of blocks has been passed, counted from the beginning, and starts those that have not
  /// started.
  func startAll(_ count: Int) {
    awaitBlocks(count)
    let blocks = state.withLock { state in
      defer { state.startedCount = state.blocks.count }
      return state.blocks[state.startedCount...].map(\.block)
    }
    for block in blocks { block() }
  }

  /// Advances the clock to a time, and calls the alarms that are due by then.
  func advance(to nanoseconds: Int) {
    let isReached = Atomic(false)
    virtual.schedule(atNanoseconds: nanoseconds, isLast: true) { isReached.store(true, ordering: .relaxed) }
    while !isReached.load(ordering: .relaxed) { _ = virtual.advance() }
  }
}
