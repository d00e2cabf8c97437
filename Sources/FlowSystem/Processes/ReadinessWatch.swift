import CFlowProcess
import Synchronization

/// Waits on one thread for the output and the end of all children, so that a silent child does not occupy a thread of
/// its own.
///
/// It only calls a closure when a wait ends. The closure decides on which thread the output is read.
package final class ReadinessWatch: Sendable {
  /// The watch that this process uses. Its thread starts with the first wait and never ends.
  package static let shared = ReadinessWatch()

  fileprivate struct Wait {
    var files: [CInt]
    var resume: @Sendable () -> Void
  }

  fileprivate struct State: ~Copyable {
    /// The system's list of watched descriptors. The number is negative until the list is created.
    var list = Descriptor(-1)
    /// The pipe that wakes the thread when a new wait has the earliest deadline.
    var alarm: Descriptor.Pipe?
    var waits: [UInt64: Wait] = [:]
    var lastToken: UInt64 = 0
    /// The deadlines of waits, the next one last. Those of ended waits stay in the list until they are reached.
    var deadlines: [(at: ContinuousClock.Instant, token: UInt64)] = []
  }

  private let state = Mutex(State())

  /// The token of the pipe that wakes the thread. The tokens of waits start at 1.
  private static let alarmToken: UInt64 = 0
  private static let mostAtOnce = 64
  /// The polling interval for waits whose descriptors the system cannot watch.
  private static let lookTime = Duration.milliseconds(50)

  private init() {}

  /// Starts the thread with the first call. Returns false if the system cannot create a thread or a descriptor.
  package func begin() -> Bool {
    state.withLock { state in
      if state.list.number >= 0 { return true }
      let list = Descriptor(flow_ready_open())
      guard list.number >= 0 else { return false }
      do throws(SystemError) {
        let alarm = try Descriptor.pipe()
        alarm.setNonBlocking()
        guard flow_ready_add(list.number, alarm.reading.number, Self.alarmToken) == 0 else { return false }
        let number = list.number
        try DetachedThread.start(name: "child watch") { [self] in serve(number) }
        state.alarm = consume alarm
        state.list = consume list
        return true
      } catch {
        return false
      }
    }
  }

  /// Calls `resume` once, on the watch's thread, when one of the files is readable or at its end, or when the time
  /// limit is reached.
  ///
  /// - Parameters:
  ///   - files: Descriptors that stay open until then and are in no other wait. Negative numbers are ignored.
  ///   - time: The maximum time to wait, or nil for no limit.
  /// - Precondition: ``begin()`` has returned true.
  package func wait(for files: [CInt], within time: Duration?, _ resume: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.lastToken += 1
      let token = state.lastToken
      let files = files.filter { $0 >= 0 }
      state.waits[token] = Wait(files: files, resume: resume)
      var time = time
      for file in files where flow_ready_add(state.list.number, file, token) != 0 {
        time = min(time ?? Self.lookTime, Self.lookTime)
      }
      guard let time else { return }
      let at = ContinuousClock.now + time
      let index = state.deadlines.firstIndex { $0.at <= at } ?? state.deadlines.count
      state.deadlines.insert((at, token), at: index)
      // The thread sleeps until a later deadline, so wake it.
      if index == state.deadlines.count - 1 { state.interrupt() }
    }
  }

  private func serve(_ list: CInt) {
    var tokens = [UInt64](repeating: 0, count: Self.mostAtOnce)
    while true {
      let count = flow_ready_wait(list, &tokens, CInt(tokens.count), state.withLock { $0.millisecondsToDeadline })
      let resumed = state.withLock { state in
        var resumed: [@Sendable () -> Void] = []
        for token in tokens.prefix(max(0, Int(count))) {
          if token == Self.alarmToken { state.rearm() } else { state.end(token, &resumed) }
        }
        while let next = state.deadlines.last, next.at <= .now {
          state.deadlines.removeLast()
          state.end(next.token, &resumed)
        }
        return resumed
      }
      for resume in resumed { resume() }
    }
  }
}

extension ReadinessWatch.State {
  /// The milliseconds until the next deadline, rounded up, or −1 if there is none.
  fileprivate var millisecondsToDeadline: CInt {
    guard let next = deadlines.last else { return -1 }
    let left = ContinuousClock.now.duration(to: next.at)
    if left <= .zero { return 0 }
    return CInt(clamping: left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
  }

  /// Ends a wait that has not ended: removes its descriptors and collects its closure in `resumed`.
  fileprivate mutating func end(_ token: UInt64, _ resumed: inout [@Sendable () -> Void]) {
    guard let wait = waits.removeValue(forKey: token) else { return }
    for file in wait.files { flow_ready_remove(list.number, file) }
    resumed.append(wait.resume)
  }

  fileprivate func interrupt() {
    switch alarm {
    case .none: break
    case .some(let alarm):
      _ = withUnsafeBytes(of: UInt8(0)) { SystemCall.write(alarm.writing.number, $0) }
    }
  }

  /// Empties the pipe that wakes the thread, and watches it again.
  fileprivate func rearm() {
    switch alarm {
    case .none: break
    case .some(let alarm):
      alarm.drain()
      flow_ready_remove(list.number, alarm.reading.number)
      _ = flow_ready_add(list.number, alarm.reading.number, 0)
    }
  }
}
