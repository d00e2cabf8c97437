import Testing

@testable import FlowEngine

struct `The clock of a thread` {
  @Test func `a thread's clock differs from the system's clock by at most 50 µs`() {
    let system = RunClock()
    var clock = ThreadClock(system)
    var time = 0
    // Long enough for several readings of the system's clock. The thread may be suspended between any two readings.
    while time < 2_000_000 {
      let before = system.now
      time = clock.now()
      let after = system.now
      #expect(time >= before - 50_000 && time <= after + 50_000)
    }
  }

  @Test func `a thread's clock returns the virtual time if the run has a virtual clock`() {
    let virtual = VirtualClock()
    var clock = ThreadClock(RunClock(virtual: virtual))
    #expect(clock.now() == 0)
  }
}
