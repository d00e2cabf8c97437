import Foundation
import Synchronization
import Testing

@testable import FlowEngine

/// Callbacks that are scheduled for times of a run. A separate thread or timers call them.
@Suite(.timeLimit(.minutes(10))) struct AlarmClockTests {
  @Test(arguments: [false, true])
  func `callbacks run in the order of their times and never early, even if a callback schedules them`(usesTimers: Bool)
    async
  {
    let clock = RunClock()
    let deadlines = AlarmClock(clock: clock, usesTimers: usesTimers)
    let calls = Calls()
    await withCheckedContinuation { continuation in
      let start = clock.now
      // The first call blocks the others until all are scheduled.
      let isScheduled = Atomic(false)
      deadlines.schedule(atNanoseconds: start) { while !isScheduled.load(ordering: .acquiring) { usleep(1_000) } }
      defer { isScheduled.store(true, ordering: .releasing) }
      for place in [3, 1, 4, 0, 2] {
        let due = start + 20_000_000 + place * 2_000_000
        deadlines.schedule(atNanoseconds: due) {
          calls.add(place, isEarly: clock.now < due)
          if place == 2 {
            // This callback is due now, before the other pending ones.
            deadlines.schedule(atNanoseconds: due) { calls.add(9, isEarly: false) }
          }
          if place == 4 { continuation.resume() }
        }
      }
    }
    #expect(calls.places == [0, 1, 2, 9, 3, 4])
    #expect(calls.early == 0)
    deadlines.stop()
  }

  @Test(arguments: [false, true])
  func `an earlier callback runs on time while the alarm clock waits for a later one`(usesTimers: Bool) async {
    let clock = RunClock()
    let deadlines = AlarmClock(clock: clock, usesTimers: usesTimers)
    let calls = Calls()
    // These callbacks are due in an hour or later, so a sleeping thread must be woken for the others.
    deadlines.schedule(atNanoseconds: clock.now + 3_600_000_000_000) { calls.add(1, isEarly: false) }
    deadlines.schedule(afterNanoseconds: .max) { calls.add(2, isEarly: false) }
    // Repeated, because the thread may not be asleep at the first attempt.
    for _ in 0..<20 {
      await withCheckedContinuation { continuation in
        deadlines.schedule(atNanoseconds: clock.now + 1_000_000) {
          calls.add(0, isEarly: false)
          continuation.resume()
        }
      }
    }
    #expect(calls.places == Array(repeating: 0, count: 20))
    deadlines.stop()
  }

  @Test(arguments: [false, true]) func `a stopped alarm clock never calls its callbacks`(usesTimers: Bool) async {
    let clock = RunClock()
    let deadlines = AlarmClock(clock: clock, usesTimers: usesTimers)
    let calls = Calls()
    weak var held: Calls?
    do {
      let owned = Calls()
      held = owned
      deadlines.schedule(atNanoseconds: clock.now + 3_600_000_000_000) { owned.add(0, isEarly: false) }
    }
    #expect(held != nil)
    deadlines.stop()
    deadlines.schedule(atNanoseconds: clock.now) { calls.add(0, isEarly: false) }
    #expect(held == nil)
    #expect(calls.places.isEmpty)
  }
}

private final class Calls: Sendable {
  private let state = Mutex<(places: [Int], early: Int)>(([], 0))
  func add(_ place: Int, isEarly: Bool) {
    state.withLock {
      $0.places.append(place)
      $0.early += isEarly ? 1 : 0
    }
  }
  var places: [Int] { state.withLock { $0.places } }
  var early: Int { state.withLock { $0.early } }
}
